import ParleyModel

/// The canonical form of request paths. A path in any other form gets 404, whatever it would resolve to.
///
/// Proxies in front of Parley apply rules to the literal path (HAProxy's `path`), and another spelling must not bypass them. A
/// target is a path from the root, optionally with a query (RFC 9112 §3.2.1). None of its segments is empty, `.` or `..`.
/// Percent-encoding is in upper case, and occurs only where RFC 3986 requires it or `encodeURIComponent` uses it: never for a
/// letter, a digit, `-`, `.`, `_`, `~`, a slash, a backslash or a control character.
enum CanonicalPath {
    /// - Parameter slashEnded: The paths that may also end with a slash.
    static func isForm(of target: String, slashEnded: Set<String> = []) -> Bool {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/") else { return false }
        if path.count == 1 { return true }
        var rest = path
        if rest.last == UInt8(ascii: "/") {
            rest.removeLast()
            guard slashEnded.contains(String(Substring(rest))) else { return false }
        }
        return rest.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy(isSegment)
    }

    private static func isSegment(_ segment: Substring.UTF8View) -> Bool {
        guard !segment.isEmpty, !segment.elementsEqual(".".utf8), !segment.elementsEqual("..".utf8) else {
            return false
        }
        var rest = segment
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst(), let low = rest.popFirst(), max(high, low) < UInt8(ascii: "a"),
                    let encoded = Hex.byte(high, low), mayBeEncoded(encoded)
                else { return false }
            } else if !PercentEncoding.isUnreserved(byte), !"!$&'()*+,;=:@".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    private static func mayBeEncoded(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\")
            && !PercentEncoding.isUnreserved(byte)
    }
}
