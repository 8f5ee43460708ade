/// Decodes keys from the bytes of a terminal, regardless of their division.
///
/// An escape key and the start of a sequence are indistinguishable. The caller waits for a moment while ``isWaiting``
/// is `true`, and calls ``flush()`` if no bytes follow.
package struct KeyDecoder: Sendable {
    /// The maximum size of a paste in bytes; a longer paste is cut. The longest message that a server can allow has
    /// 100,000 characters.
    static let maximumPaste = 400_000
    /// The maximum size of an escape sequence in bytes; a longer sequence is discarded.
    static let maximumSequence = 64

    private var buffer: [UInt8] = []
    private var paste: [UInt8]?

    package init() {}

    /// Whether bytes of an unfinished key are buffered.
    package var isWaiting: Bool { !buffer.isEmpty && paste == nil }

    package mutating func feed(_ bytes: [UInt8]) -> [Key] {
        buffer += bytes
        var keys: [Key] = []
        while let key = next() { keys += key }
        return keys
    }

    /// Decodes the buffered bytes when no bytes follow.
    package mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        let kept = buffer
        buffer = []
        guard kept.first == 0x1B else { return [] }
        // The bytes are an escape followed quickly by a key, or an unfinished sequence.
        return kept.count == 1 ? [.escape] : kept.count == 2 ? [.alt(Character(Unicode.Scalar(kept[1])))] : []
    }

    /// - Returns: An empty array for bytes without a meaning; `nil` if more bytes are needed.
    private mutating func next() -> [Key]? {
        if paste != nil { return pasted() }
        guard let first = buffer.first else { return nil }
        switch first {
        case 0x1B: return escaped()
        case 0x0D: return take(1, .enter)
        case 0x0A: return take(1, .newline)
        case 0x09: return take(1, .tab)
        case 0x7F, 0x08: return take(1, .backspace)
        case 1...0x1A: return take(1, .control(Character(Unicode.Scalar(first + 0x60))))
        case 0..<0x20: return take(1, nil)
        default: return character(at: 0).map { count, text in take(count, text.map { .text($0) }) ?? [] }
        }
    }

    private mutating func take(_ count: Int, _ key: Key?) -> [Key]? {
        buffer.removeFirst(count)
        return key.map { [$0] } ?? []
    }

    /// Returns the scalar at an offset. Its text is `nil` if the bytes are not UTF-8 or not printable.
    private func character(at offset: Int) -> (count: Int, text: String?)? {
        let length =
            switch buffer[offset] {
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 1
            }
        let end = offset + length
        let available = buffer[offset..<min(end, buffer.count)]
        guard available.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (1, nil) }
        guard available.count == length else { return nil }
        guard let text = String(validating: available, as: UTF8.self), let scalar = text.unicodeScalars.first,
            scalar.value >= 0x20, !(0x7F..<0xA0).contains(scalar.value)
        else { return (length, nil) }
        return (length, text)
    }

    // MARK: Escape sequences

    private mutating func escaped() -> [Key]? {
        guard buffer.count > 1 else { return nil }
        switch buffer[1] {
        case UInt8(ascii: "["): return sequence()
        case UInt8(ascii: "O"):
            guard buffer.count > 2 else { return nil }
            return take(3, Self.final(buffer[2], isModified: false))
        case 0x1B: return take(1, .escape)
        case 0x0D, 0x0A: return take(2, .newline)
        case 0x7F, 0x08: return take(2, .control("w"))
        case 0..<0x20: return take(1, .escape)
        default:
            return character(at: 1).map { count, text in take(1 + count, text?.first.map(Self.alt)) ?? [] }
        }
    }

    private static func alt(_ character: Character) -> Key {
        switch character {
        case "b": .wordLeft
        case "f": .wordRight
        default: .alt(character)
        }
    }

    private mutating func sequence() -> [Key]? {
        guard let end = buffer.indices.dropFirst(2).first(where: { !(0x20...0x3F).contains(buffer[$0]) }) else {
            return buffer.count > Self.maximumSequence ? take(buffer.count, nil) : nil
        }
        // A control character inside a sequence ends the sequence.
        guard (0x40...0x7E).contains(buffer[end]) else { return take(end, nil) }
        let parameters = String(decoding: buffer[2..<end], as: UTF8.self).split(
            separator: ";", omittingEmptySubsequences: false)
        let isModified = parameters.count > 1 && parameters[1] != "1"
        guard buffer[end] == UInt8(ascii: "~") else { return take(end + 1, Self.final(buffer[end], isModified)) }
        switch parameters.first.flatMap({ Int($0) }) {
        case 1, 7: return take(end + 1, .home)
        case 4, 8: return take(end + 1, .end)
        case 3: return take(end + 1, .delete)
        case 5: return take(end + 1, .pageUp)
        case 6: return take(end + 1, .pageDown)
        case let number? where (11...15).contains(number): return take(end + 1, .function(number - 10))
        case let number? where (17...21).contains(number): return take(end + 1, .function(number - 11))
        case 200:
            paste = []
            return take(end + 1, nil)
        default: return take(end + 1, nil)
        }
    }

    private static func final(_ byte: UInt8, _ isModified: Bool) -> Key? { final(byte, isModified: isModified) }

    private static func final(_ byte: UInt8, isModified: Bool) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): isModified ? .previous : .up
        case UInt8(ascii: "B"): isModified ? .next : .down
        case UInt8(ascii: "C"): isModified ? .wordRight : .right
        case UInt8(ascii: "D"): isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "Z"): .backTab
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(byte - UInt8(ascii: "P")) + 1)
        default: nil
        }
    }

    // MARK: Paste

    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private mutating func pasted() -> [Key]? {
        guard let start = buffer.firstRange(of: Self.pasteEnd)?.lowerBound else {
            // The end marker may have begun.
            let kept = min(buffer.count, Self.pasteEnd.count - 1)
            add(buffer.dropLast(kept))
            buffer = buffer.suffix(kept)
            return nil
        }
        add(buffer[..<start])
        let text = String(decoding: paste ?? [], as: UTF8.self)
        paste = nil
        return take(start + Self.pasteEnd.count, .paste(text))
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        let room = max(0, Self.maximumPaste - (paste?.count ?? 0))
        paste? += bytes.prefix(room)
    }
}
