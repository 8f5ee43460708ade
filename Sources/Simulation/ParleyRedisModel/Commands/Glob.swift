/// Redis' patterns: `*`, `?`, `[a-z]`, `[^a]` and `\`.
enum Glob {
    static func matches(_ text: some Collection<UInt8>, _ pattern: some Collection<UInt8>) -> Bool {
        matches(Array(text)[...], Array(pattern)[...])
    }

    private static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var (text, pattern) = (text, pattern)
        while let mark = pattern.popFirst() {
            switch mark {
            case UInt8(ascii: "*"):
                if pattern.isEmpty { return true }
                while true {
                    if matches(text, pattern) { return true }
                    guard text.popFirst() != nil else { return false }
                }
            case UInt8(ascii: "?"):
                guard text.popFirst() != nil else { return false }
            case UInt8(ascii: "["):
                guard let byte = text.popFirst(), takeSet(&pattern, contains: byte) else { return false }
            case UInt8(ascii: "\\"):
                guard text.popFirst() == pattern.popFirst() ?? mark else { return false }
            default:
                guard text.popFirst() == mark else { return false }
            }
        }
        return text.isEmpty
    }

    private static func takeSet(_ pattern: inout ArraySlice<UInt8>, contains byte: UInt8) -> Bool {
        let isNegated = pattern.first == UInt8(ascii: "^")
        if isNegated { pattern.removeFirst() }
        var isFound = false
        while let first = pattern.popFirst(), first != UInt8(ascii: "]") {
            var low = first
            if first == UInt8(ascii: "\\"), let escaped = pattern.popFirst() { low = escaped }
            var high = low
            if pattern.count > 1, pattern.first == UInt8(ascii: "-") {
                pattern.removeFirst()
                high = pattern.removeFirst()
            }
            if (min(low, high)...max(low, high)).contains(byte) { isFound = true }
        }
        return isFound != isNegated
    }
}
