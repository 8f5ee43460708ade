/// The maximum number of events in the queue of a channel: Django's `capacity` and `channel_capacity`.
package struct QueueCapacities: Hashable, Sendable {
    /// The capacity of channels whose names match a shell-style pattern, as in Python's `fnmatch`.
    package struct Pattern: Hashable, Sendable {
        package let pattern: String
        package let capacity: Int

        package init(_ pattern: String, _ capacity: Int) {
            self.pattern = pattern
            self.capacity = capacity
        }

        /// Reads `pattern=capacity`; `nil` for other text. A pattern may contain `=`.
        package init?(_ text: some StringProtocol) {
            guard let mark = text.lastIndex(of: "="), mark > text.startIndex,
                let capacity = Int(text[text.index(after: mark)...]), capacity > 0
            else { return nil }
            self.init(String(text[..<mark]), capacity)
        }
    }

    package var standard: Int
    /// The patterns; the first one that matches applies.
    package var patterns: [Pattern]

    package init(standard: Int = 100, patterns: [Pattern] = []) {
        self.standard = standard
        self.patterns = patterns
    }

    /// The capacity of a channel's queue.
    /// - Parameter channel: The full name.
    package subscript(channel: String) -> Int {
        guard !patterns.isEmpty else { return standard }
        let name = Array(channel.unicodeScalars)
        return patterns.first { Self.matches(name[...], Array($0.pattern.unicodeScalars)[...]) }?.capacity ?? standard
    }

    private typealias Scalars = ArraySlice<Unicode.Scalar>

    /// Matches a name against a pattern of `*`, `?`, `[seq]` and `[!seq]`. Bounded: only the last `*` is tried again.
    private static func matches(_ name: Scalars, _ pattern: Scalars) -> Bool {
        var (name, pattern) = (name, pattern)
        var retry: (name: Scalars, pattern: Scalars)?
        while true {
            if pattern.first == "*" {
                pattern = pattern.dropFirst()
                retry = (name, pattern)
            } else if name.isEmpty, pattern.isEmpty {
                return true
            } else if let first = name.first, let length = matchLength(first, pattern) {
                name = name.dropFirst()
                pattern = pattern.dropFirst(length)
            } else if let last = retry, !last.name.isEmpty {
                retry = (last.name.dropFirst(), last.pattern)
                (name, pattern) = (last.name.dropFirst(), last.pattern)
            } else {
                return false
            }
        }
    }

    /// Returns the length of the pattern's first element if it matches a character.
    private static func matchLength(_ scalar: Unicode.Scalar, _ pattern: Scalars) -> Int? {
        switch pattern.first {
        case nil: return nil
        case "?": return 1
        case "[":
            var content = pattern.dropFirst()
            let isNegated = content.first == "!"
            if isNegated { content = content.dropFirst() }
            // An unclosed bracket matches itself; a closing bracket that comes first belongs to the sequence.
            guard let end = content.dropFirst().firstIndex(of: "]") else { return scalar == "[" ? 1 : nil }
            return contains(content[..<end], scalar) != isNegated ? end - pattern.startIndex + 1 : nil
        case .some(let expected): return expected == scalar ? 1 : nil
        }
    }

    private static func contains(_ sequence: Scalars, _ scalar: Unicode.Scalar) -> Bool {
        var rest = sequence
        while let first = rest.popFirst() {
            if rest.count >= 2, rest.first == "-" {
                let last = rest[rest.startIndex + 1]
                if first <= scalar, scalar <= last { return true }
                rest = rest.dropFirst(2)
            } else if first == scalar {
                return true
            }
        }
        return false
    }
}
