import Foundation

/// The address of a server, from the command line.
struct ChatServer: Hashable, Sendable {
    let url: URL
    /// `http://host:port`, in one spelling.
    var name: String { "\(scheme)://\(authority)" }
    /// `http:host:port`, which names the server's folder.
    var folderName: String { "\(scheme):\(authority)" }
    private let scheme: String
    private let authority: String

    /// - Parameter text: A URL; `http://` may be left out.
    /// - Throws: ``ChatFailure``.
    init(_ text: String) throws {
        let full = text.contains("://") ? text : "http://\(text)"
        guard let url = URL(string: full), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host()?.lowercased(), !host.isEmpty
        else { throw ChatFailure("\(text) is not the address of a server: http:// or https:// and a host", code: 64) }
        self.url = url
        self.scheme = scheme
        authority = "\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }
}
