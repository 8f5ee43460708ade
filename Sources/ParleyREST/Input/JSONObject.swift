import Foundation

/// An object of JSON whose members are decoded when they are asked for.
struct JSONObject: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    private let members: KeyedDecodingContainer<Key>

    init(from decoder: any Decoder) throws {
        members = try decoder.container(keyedBy: Key.self)
    }

    /// - Throws: 400 unless the bytes are an object in UTF-8.
    init(_ bytes: [UInt8]) throws(APIError) {
        // A raw NUL is no JSON (RFC 8259 §7), but is what UTF-16 looks like, which Foundation would accept.
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil,
            let object = try? JSONDecoder().decode(JSONObject.self, from: Data(bytes))
        else { throw .badRequest("no JSON object in UTF-8") }
        self = object
    }

    /// A member that must be a string; `nil` if it is absent or `null`.
    func text(_ name: String) throws(APIError) -> String? {
        do {
            return try members.decodeIfPresent(String.self, forKey: Key(stringValue: name))
        } catch {
            throw .badRequest("\(name) must be a string")
        }
    }

    /// Whether there is such a member, `null` or not.
    func has(_ name: String) -> Bool { members.contains(Key(stringValue: name)) }

    /// A member that must be an object; `nil` if it is absent or `null`.
    func object(_ name: String) throws(APIError) -> JSONObject? {
        do {
            return try members.decodeIfPresent(JSONObject.self, forKey: Key(stringValue: name))
        } catch {
            throw .badRequest("\(name) must be an object")
        }
    }

    /// A member that must be a string, or a whole number that stands for its digits, as ids of a database often are.
    func idText(_ name: String) throws(APIError) -> String? {
        if let number = try? members.decodeIfPresent(Int64.self, forKey: Key(stringValue: name)) {
            return String(number)
        }
        return try text(name)
    }
}
