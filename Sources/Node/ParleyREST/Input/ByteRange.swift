/// The part of a file that a `Range` header requests (RFC 9110 §14.2).
enum ByteRange: Hashable, Sendable {
    /// There is no range, or a range that may be ignored: several ranges, or another unit.
    case whole
    case part(Range<Int64>)
    /// No part of the range is in the file; the response is 416.
    case unsatisfiable

    /// - Parameters:
    ///   - header: The value of `Range`.
    ///   - size: The size of the file in bytes.
    init(_ header: String?, size: Int64) {
        self = header.flatMap { Self.parse($0, size) } ?? .whole
    }

    private static func parse(_ header: String, _ size: Int64) -> ByteRange? {
        guard header.lowercased().hasPrefix("bytes=") else { return nil }
        let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let (first, last) = (number(ends[0]), number(ends[1]))
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, false):
            guard let last else { return nil }
            return last == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - last)..<size)
        case (false, true):
            guard let first else { return nil }
            return first < size ? .part(first..<size) : .unsatisfiable
        case (false, false):
            guard let first, let last, first <= last else { return nil }
            return first < size ? .part(first..<(min(last, size - 1) + 1)) : .unsatisfiable
        case (true, true):
            return nil
        }
    }

    /// Parses digits only. A number that is too large becomes the largest one.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }
}
