import ParleyJSON
import ParleyModel

/// The named values of a query or a body. Unused values are ignored.
///
/// A value that is read must occur once (a duplicate is ambiguous and causes 400) and must not contain NUL.
struct Fields {
    private enum Source {
        case pairs([(name: String, value: String)])
        case json(JSONObject)
    }

    private let source: Source

    /// - Parameter query: The part of the target after `?`, still encoded; `nil` if there is no `?`.
    init(query: String?) throws(APIError) {
        do {
            source = .pairs(try FormDecoder.pairs(in: Array((query ?? "").utf8)))
        } catch {
            throw .badRequest("the query is malformed: \(error.explanation)")
        }
    }

    init(form: [UInt8]) throws(APIError) {
        do {
            source = .pairs(try FormDecoder.pairs(in: form))
        } catch {
            throw .badRequest("the form is malformed: \(error.explanation)")
        }
    }

    init(json: [UInt8]) throws(APIError) {
        do {
            source = .json(try JSONObject(json))
        } catch {
            throw .badRequest("the body is \(error.message)")
        }
    }

    /// Returns a required text, which may be empty.
    func text(_ name: String) throws(APIError) -> String {
        guard let text = try textIfPresent(name) else { throw .badRequest("\(name) is missing") }
        return text
    }

    /// Returns a text, or `nil` if the field is absent, or `null` in JSON.
    func textIfPresent(_ name: String) throws(APIError) -> String? {
        let text: String?
        switch source {
        case .pairs(let pairs):
            let values = pairs.filter { $0.name == name }
            guard values.count <= 1 else { throw .badRequest("\(name) is given more than once") }
            text = values.first?.value
        case .json(let object):
            text = try object.text(name)
        }
        if let text, text.utf8.contains(0) {
            throw .badRequest("\(name) contains a NUL character, which is not allowed")
        }
        return text
    }

    /// Returns a required id or reference. In JSON it may be an integer, since database ids often are.
    func idValue(_ name: String) throws(APIError) -> JSONObject.IDValue {
        if case .json(let object) = source, case .number(let id)? = try object.idValue(name) { return .number(id) }
        return .text(try text(name))
    }

    /// Returns a value of any kind, or `nil` if the field is absent, `null`, or not in JSON.
    func tree(_ name: String) throws(APIError) -> JSONTree? {
        guard case .json(let object) = source else { return nil }
        return try object.tree(name)
    }

    /// Whether the field is present, even if it is `null`.
    func has(_ name: String) -> Bool {
        switch source {
        case .pairs(let pairs): pairs.contains { $0.name == name }
        case .json(let object): object.has(name)
        }
    }

    /// Returns the parts of a message, validated except for the lengths of texts. Only JSON has parts.
    func parts() throws -> [MessagePart] {
        guard case .json(let object) = source, let parts = try object.tree("parts") else { return [] }
        return try MessagePart.parts(parts)
    }

    /// Returns an unsigned decimal integer, which may be a number in JSON, or `nil` if the field is absent.
    func number(_ name: String, from minimum: Int64 = 0, upTo maximum: Int64) throws(APIError) -> Int64? {
        let found: String? =
            if case .json(let object) = source {
                try object.idText(name, expected: "a whole number from \(minimum) to \(maximum)")
            } else {
                try textIfPresent(name)
            }
        guard let text = found else { return nil }
        // `Int64("+5")` is 5, but a plus in a query is a space.
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
            (minimum...maximum).contains(number)
        else { throw .badRequest("\(name) is not a whole number from \(minimum) to \(maximum)") }
        return number
    }
}
