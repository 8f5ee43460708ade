import ParleyModel

/// The rules for `next`: a path of this server to which a login may lead.
package enum LocalPath {
    /// Maximum length, in bytes.
    package static let maximumBytes = 1024

    /// The rules, for the client.
    package static let explanation =
        "next must be a path of this server, e.g. /, of at most \(maximumBytes) bytes, and none below /auth/"

    /// Browsers take `//host`, `/\host` and both with tabs in between for other hosts. A path below `/auth/` would do
    /// something in the user's name, such as log out.
    package static func isAllowed(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count <= maximumBytes, bytes.first == UInt8(ascii: "/"),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        // Browsers resolve dots before they ask, even encoded ones.
        let dots: [[UInt8]] = [Array(".".utf8), Array("..".utf8)]
        let hasDots = segments.contains { segment in
            PercentEncoding.decode(segment).map { dots.contains($0) } ?? false
        }
        let isPlain = !path.starts(with: "//".utf8) && !hasDots
        return isPlain && !(segments.first?.elementsEqual("auth".utf8) ?? false)
    }
}
