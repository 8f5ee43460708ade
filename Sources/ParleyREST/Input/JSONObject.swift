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

    /// A member that must be a string; `nil` if it is absent or `null`.
    func text(_ name: String) throws(APIError) -> String? {
        do {
            return try members.decodeIfPresent(String.self, forKey: Key(stringValue: name))
        } catch {
            throw .badRequest("\(name) must be a string")
        }
    }
}
