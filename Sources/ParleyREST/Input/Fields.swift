/// The named values of a query or a body, read by name; what nobody asks for is ignored.
///
/// A value that is asked for must be there once (twice is ambiguous, so 400) and hold no NUL.
struct Fields {
    private enum Source {
        case pairs([(name: String, value: String)])
        case json(JSONObject)
    }

    private let source: Source

    /// - Parameter query: what follows the `?` of the target, still encoded; `nil` if there is no `?`.
    init(query: String?) throws(APIError) {
        do {
            source = .pairs(try FormDecoder.pairs(in: Array((query ?? "").utf8)))
        } catch {
            throw .badRequest("the query cannot be read: \(error.explanation)")
        }
    }

    init(form: [UInt8]) throws(APIError) {
        do {
            source = .pairs(try FormDecoder.pairs(in: form))
        } catch {
            throw .badRequest("the form cannot be read: \(error.explanation)")
        }
    }

    init(json: [UInt8]) throws(APIError) {
        do {
            source = .json(try JSONObject(json))
        } catch {
            throw .badRequest("the body is \(error.message)")
        }
    }

    /// A text that must be there; it may be empty.
    func text(_ name: String) throws(APIError) -> String {
        guard let text = try textIfPresent(name) else { throw .badRequest("\(name) is missing") }
        return text
    }

    /// `nil` if it is absent, or `null` in JSON.
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

    /// A whole number in decimal digits, without a sign; `nil` if it is absent.
    func number(_ name: String, from minimum: Int64 = 0, upTo maximum: Int64) throws(APIError) -> Int64? {
        guard let text = try textIfPresent(name) else { return nil }
        // Int64("+5") is 5, but in a query a plus is a space.
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
            (minimum...maximum).contains(number)
        else { throw .badRequest("\(name) is no whole number from \(minimum) to \(maximum)") }
        return number
    }
}
