/// A JSON value in canonical form: equal values have equal texts, whatever form they were read from.
///
/// Used for values that other programs must find unchanged (parts of messages), and for values that do not deserve a
/// type. Members of objects are in the byte order of their keys, each key once; 64-bit integers are exact, other
/// numbers are doubles.
package indirect enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Finite.
    case number(Double)
    case text(String)
    case array([JSONTree])
    /// By ascending key, except for `ordered(_:)`.
    case members([Member])

    package struct Member: Hashable, Sendable {
        package let key: String
        package let value: JSONTree

        package init(_ key: String, _ value: JSONTree) {
            self.key = key
            self.value = value
        }
    }

    /// An object of these members, without those whose value is `nil`.
    package static func object(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
        .members(sorted(members.compactMap { key, value in value.map { Member(key, $0) } }))
    }

    /// An object of these members, which must have distinct keys.
    package static func object(_ members: [Member]) -> JSONTree {
        .members(sorted(members))
    }

    /// An object of these members, which must have distinct keys, in this order; for responses that people read. It is
    /// not canonical, and equals only objects of the same order.
    package static func ordered(_ members: [(String, JSONTree)]) -> JSONTree {
        .members(members.map { Member($0.0, $0.1) })
    }

    static func sorted(_ members: [Member]) -> [Member] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The value of an object's member.
    package subscript(key: String) -> JSONTree? {
        guard case .members(let members) = self else { return nil }
        // Compared as bytes: two spellings of one character are two keys.
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    package var elements: [JSONTree]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    // MARK: Writing

    /// The canonical text: no white space, and only the escapes that RFC 8259 requires.
    package var canonical: String { String(decoding: json, as: UTF8.self) }

    /// The bytes of `canonical`.
    package var json: [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writer.tree(self)
        return writer.bytes
    }
}
