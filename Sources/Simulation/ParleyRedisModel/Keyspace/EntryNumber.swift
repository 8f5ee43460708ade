/// The id of an entry of a stream.
struct EntryNumber: Comparable, Hashable, Sendable {
    var milliseconds: UInt64
    var sequence: UInt64

    static let lowest = EntryNumber(milliseconds: 0, sequence: 0)
    static let highest = EntryNumber(milliseconds: .max, sequence: .max)

    static func < (left: EntryNumber, right: EntryNumber) -> Bool {
        (left.milliseconds, left.sequence) < (right.milliseconds, right.sequence)
    }

    init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    /// Reads an id, with or without its second part.
    /// - Parameter sequence: the second part of one that has none.
    init?(_ bytes: Bytes, sequence standard: UInt64) {
        let parts = bytes.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let milliseconds = Self.number(first) else { return nil }
        self.milliseconds = milliseconds
        if parts.count > 1 {
            guard let sequence = Self.number(parts[1]) else { return nil }
            self.sequence = sequence
        } else {
            sequence = standard
        }
    }

    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    var bytes: Bytes { Array("\(milliseconds)-\(sequence)".utf8) }

    /// The id behind this one; `nil` for the highest.
    var next: EntryNumber? {
        if sequence < .max { return EntryNumber(milliseconds: milliseconds, sequence: sequence + 1) }
        return milliseconds < .max ? EntryNumber(milliseconds: milliseconds + 1, sequence: 0) : nil
    }

    /// The id before this one; `nil` for the lowest.
    var previous: EntryNumber? {
        if sequence > 0 { return EntryNumber(milliseconds: milliseconds, sequence: sequence - 1) }
        return milliseconds > 0 ? EntryNumber(milliseconds: milliseconds - 1, sequence: .max) : nil
    }
}
