#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The few fields of a server frame that are needed for latency and checks, found in its bytes without building a tree.
///
/// Used instead of `JSONReader` because every frame of every bot passes here, and the server lacks the processor time
/// that the load generator uses: nothing is copied, and only the outermost object is read.
///
/// Everything else is skipped. The bytes are assumed to be valid JSON: for anything else the result is `nil` or has no
/// fields, and no index out of bounds is read.
package struct FrameScan {
    /// The kinds of frame that a bot distinguishes.
    package enum Kind: UInt8 {
        case message
        /// Another log event.
        case event
        case ack, error, hello, resumed, page, behind, bye
        /// A frame that is only counted.
        case other
    }

    package private(set) var kind = Kind.other
    package private(set) var thread: Range<Int>?
    package private(set) var epoch: Range<Int>?
    package private(set) var text: Range<Int>?
    package private(set) var id: Range<Int>?
    package private(set) var type: Range<Int>?
    package private(set) var seq: Int64?
    package private(set) var ref: Int64?
    /// The ack reports that the message is stored.
    package private(set) var isStored = false

    /// - Parameter bytes: one JSON object.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        guard bytes.count > 1, bytes[0] == UInt8(ascii: "{") else { return nil }
        index = 1
        while index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
            guard let key = Self.string(bytes, &index), index < bytes.count, bytes[index] == UInt8(ascii: ":") else {
                return nil
            }
            index += 1
            guard value(of: key, bytes, &index), index < bytes.count else { return nil }
            if bytes[index] == UInt8(ascii: "}") { return }
            guard bytes[index] == UInt8(ascii: ",") else { return nil }
            index += 1
        }
        return nil
    }

    /// Reads or skips one value.
    private mutating func value(of key: Range<Int>, _ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
        guard index < bytes.count else { return false }
        let first = bytes[index]
        if first == UInt8(ascii: "\"") {
            guard let value = Self.string(bytes, &index) else { return false }
            switch key.count {
            case 2: if bytes[key.lowerBound] == UInt8(ascii: "i") { id = value }
            case 4:
                if bytes[key.lowerBound + 1] == UInt8(ascii: "y") {
                    type = value
                    kind = Self.kind(bytes, value)
                } else if bytes[key.lowerBound + 1] == UInt8(ascii: "e") {
                    text = value
                }
            case 5:
                if bytes[key.lowerBound] == UInt8(ascii: "e") {
                    epoch = value
                } else if bytes[key.lowerBound] == UInt8(ascii: "l") {
                    isStored = bytes[value.lowerBound] == UInt8(ascii: "s")
                }
            case 9: if bytes[key.lowerBound] == UInt8(ascii: "t") { thread = value }
            default: break
            }
            return true
        }
        if key.count == 3, let number = Self.integer(bytes, &index) {
            if bytes[key.lowerBound] == UInt8(ascii: "s") {
                seq = number
            } else if bytes[key.lowerBound] == UInt8(ascii: "r") {
                ref = number
            }
            return true
        }
        return Self.skip(bytes, &index)
    }

    private static let names: [(word: UInt64, kind: Kind)] = [
        (word("message"), .message), (word("ack"), .ack), (word("joined"), .event), (word("left"), .event),
        (word("edited"), .event), (word("deleted"), .event), (word("reaction"), .event), (word("renamed"), .event),
        (word("role"), .event), (word("visibility"), .event), (word("error"), .error), (word("hello"), .hello),
        (word("resumed"), .resumed), (word("page"), .page), (word("behind"), .behind), (word("bye"), .bye),
    ]
    private static let message = word("message")

    /// The first eight bytes, which tell all types apart.
    private static func word(_ name: StaticString) -> UInt64 {
        name.withUTF8Buffer { $0.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }

    private static func kind(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Kind {
        var word: UInt64 = 0
        for index in range.prefix(8).reversed() { word = word << 8 | UInt64(bytes[index]) }
        if word == message { return .message }
        return names.first { $0.word == word }?.kind ?? .other
    }

    // MARK: JSON

    /// Skips a string.
    /// - Returns: the range between the quotation marks, escapes included.
    private static func string(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Range<Int>? {
        let start = index + 1
        guard let base = bytes.baseAddress else { return nil }
        var from = start
        while from < bytes.count,
            let tag = memchr(base + from, CInt(UInt8(ascii: "\"")), bytes.count - from)
        {
            let end = UnsafeRawPointer(tag) - base
            // After an odd number of backslashes it is part of the string.
            var slashes = 0
            while end - slashes > start, bytes[end - slashes - 1] == UInt8(ascii: "\\") { slashes += 1 }
            if slashes.isMultiple(of: 2) {
                index = end + 1
                return start..<end
            }
            from = end + 1
        }
        return nil
    }

    private static func integer(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Int64? {
        var (value, end): (Int64, Int) = (0, index)
        while end < bytes.count, bytes[end] >= UInt8(ascii: "0"), bytes[end] <= UInt8(ascii: "9") {
            value = value &* 10 &+ Int64(bytes[end] - UInt8(ascii: "0"))
            end += 1
        }
        guard end > index, end - index < 19 else { return nil }
        index = end
        return value
    }

    /// Skips a value of any kind, up to the following comma or bracket.
    private static func skip(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard string(bytes, &index) != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return true }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return true }
            default: break
            }
            index += 1
        }
        return false
    }
}
