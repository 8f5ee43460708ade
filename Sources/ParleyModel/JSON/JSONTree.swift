/// A JSON value in its canonical form: one value has one text, whoever wrote it.
///
/// For what clients bring along and other programs must find unchanged (`MessagePart`). Objects have their members in
/// the order of the keys' bytes, each key once; integers of 64 bits are exact, other numbers are doubles.
package indirect enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Finite.
    case number(Double)
    case text(String)
    case array([JSONTree])
    /// By rising key; see `object(_:)`.
    case members([Member])

    package struct Member: Hashable, Sendable {
        package let key: String
        package let value: JSONTree

        package init(_ key: String, _ value: JSONTree) {
            self.key = key
            self.value = value
        }
    }

    /// An object of these members; those without a value are left out.
    package static func object(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
        .members(sorted(members.compactMap { key, value in value.map { Member(key, $0) } }))
    }

    /// An object of these members, whose keys differ.
    package static func object(_ members: [Member]) -> JSONTree {
        .members(sorted(members))
    }

    static func sorted(_ members: [Member]) -> [Member] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The value of a key of an object.
    package subscript(key: String) -> JSONTree? {
        guard case .members(let members) = self else { return nil }
        // By bytes: two spellings of one character are two keys.
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

    /// The canonical text: no space, and of all escapes only those that RFC 8259 demands.
    package var canonical: String {
        var output: [UInt8] = []
        write(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .integer(let number): output += String(number).utf8
        case .number(let number): output += number.description.utf8
        case .text(let text): Self.write(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .members(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x0A: output += "\\n".utf8
            case 0x0D: output += "\\r".utf8
            case 0x09: output += "\\t".utf8
            case 0..<0x20: output += "\(byte < 0x10 ? "\\u000" : "\\u00")\(String(byte, radix: 16))".utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
