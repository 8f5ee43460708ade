package import ParleyModel

/// The settings by which a site customises the web client.
package struct WebAppSettings: Sendable {
    /// A picture of the site.
    package struct Logo: Hashable, Sendable {
        package var bytes: [UInt8]
        /// The `Content-Type` of an SVG or PNG picture.
        package var type: String

        package init(bytes: [UInt8], type: String) {
            self.bytes = bytes
            self.type = type
        }
    }

    /// The maximum length of `path`.
    package static let maximumPathLength = 64

    /// The path of the page, which begins and ends with a slash. The other files are below it.
    package var path = "/"
    /// The name in titles and headings, 1 to 32 characters.
    package var name = "Parley"
    /// A path or URL of the site's own login. If set, the page has no password forms.
    package var loginURL: String?
    /// The address of the site's logout. Without it, a page with `loginURL` has no logout.
    package var logoutURL: String?
    /// The site's page for name, picture and password. If set, the page has no forms for them.
    package var profileURL: String?
    /// The label of the login at an OpenID provider, 1 to 32 characters; `nil` if there is none.
    package var providerName: String?
    /// Whether the page has forms for passwords.
    package var hasPasswords = true
    /// Whether visitors may create accounts.
    package var allowsSignup = true
    /// The visibility that the page proposes for a new room.
    package var visibility = RoomVisibility.public
    /// A style sheet that is added after the page's own.
    package var theme = ""
    package var logo: Logo?
    /// The origins whose pages may show the page in a frame, in the syntax of the content security policy. None by default.
    package var frameAncestors: [String] = []

    package init() {}

    /// Whether a text may be `path`: segments of letters, digits, `-`, `.`, `_` and `~`, and not one of the server's own paths.
    package static func isPath(_ text: String) -> Bool {
        if text == "/" { return true }
        guard text.utf8.count <= maximumPathLength, text.hasPrefix("/"), text.hasSuffix("/") else { return false }
        let segments = text.dropFirst().dropLast().split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = segments.allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".."
                && segment.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"):
                        true
                    default: "-._~".utf8.contains(byte)
                    }
                }
        }
        return isPlain && !taken.contains(String(segments[0]))
    }

    /// The first segments of other paths of the server.
    private static let taken: Set<String> = [
        "auth", "chat", "connect", "console", "docs", "healthz", "messaging", "metrics", "readyz", "shared", "v1",
    ]
}
