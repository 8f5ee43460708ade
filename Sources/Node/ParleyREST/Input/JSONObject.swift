import ParleyJSON
import ParleyModel

/// A JSON object whose members are read on demand. Members that are read must be unique; the others only need to be valid JSON,
/// as on sockets.
struct JSONObject {
    /// The members in the order of the text, as raw values.
    private let members: [(name: String, value: [UInt8])]

    /// - Throws: 400 unless the bytes are an object in UTF-8. The message continues "the body is".
    init(_ bytes: [UInt8]) throws(APIError) {
        // A byte order mark has no meaning, but some editors write one (RFC 8259 §8.1 allows ignoring it).
        let json = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        do throws(JSONError) {
            members = try Self.members(of: json)
        } catch {
            throw .badRequest("not a JSON object in UTF-8: \(error.explanation)")
        }
    }

    private static func members(of json: [UInt8]) throws(JSONError) -> [(name: String, value: [UInt8])] {
        var members: [(name: String, value: [UInt8])] = []
        var reader = JSONReader(json)
        try reader.enterObject()
        while let name = try reader.nextKey() { members.append((name, try reader.raw())) }
        try reader.end()
        return members
    }

    /// Whether the member is present, even if it is `null`.
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// Returns a member that must be a string, or `nil` if it is absent or `null`.
    func text(_ name: String) throws(APIError) -> String? {
        guard let value = try value(name) else { return nil }
        do throws(JSONError) {
            var reader = JSONReader(value)
            return try reader.string()
        } catch {
            throw .badRequest("\(name) must be a string")
        }
    }

    /// Returns a member that must be an object, or `nil` if it is absent or `null`.
    func object(_ name: String) throws(APIError) -> JSONObject? {
        guard let value = try value(name) else { return nil }
        guard value.first == UInt8(ascii: "{") else { throw .badRequest("\(name) must be an object") }
        return try JSONObject(value)
    }

    /// A string, or an integer that stands for the id with the same digits. Database ids are often integers.
    enum IDValue: Hashable {
        case text(String)
        case number(UserID)

        var text: String {
            switch self {
            case .text(let text): text
            case .number(let id): id.text
            }
        }
    }

    /// Returns a member that must be a string, or an integer that stands for its digits.
    /// - Parameter expected: The requirement named in the error for any other value.
    func idText(
        _ name: String, expected: String = "a string or a whole number"
    ) throws(APIError) -> String? {
        try idValue(name, expected: expected)?.text
    }

    /// Returns the same member as `idText`, for callers that distinguish a number from a string of the same digits.
    func idValue(
        _ name: String, expected: String = "a string or a whole number"
    ) throws(APIError) -> IDValue? {
        guard let value = try value(name) else { return nil }
        if value.first == UInt8(ascii: "\"") { return try text(name).map { .text($0) } }
        var reader = JSONReader(value)
        switch try? reader.number() {
        case .integer(let number): return .number(UserID(trusted: String(number)))
        // 7.0 and 7e0 are the number 7, which some languages write that way. Above 2^53 the digits would belong to another number.
        case .number(let number) where abs(number) <= 9_007_199_254_740_992:
            if let whole = Int64(exactly: number) { return .number(UserID(trusted: String(whole))) }
        default: break
        }
        throw .badRequest("\(name) must be \(expected)")
    }

    /// Returns a member of any kind, or `nil` if it is absent or `null`.
    func tree(_ name: String) throws(APIError) -> JSONTree? {
        guard let value = try value(name) else { return nil }
        do throws(JSONError) {
            return try JSONTree(parsing: value)
        } catch {
            throw .badRequest("\(name): \(error.explanation)")
        }
    }

    private func value(_ name: String) throws(APIError) -> [UInt8]? {
        let found = members.filter { $0.name == name }
        guard found.count <= 1 else { throw .badRequest("\(name) is given more than once") }
        guard let value = found.first?.value, value != Array("null".utf8) else { return nil }
        return value
    }
}
