import Foundation

/// The server's address, for sockets and requests.
struct ServerAddress: Hashable, Sendable {
    /// The origin, `http://host:port`, without a path.
    let base: String

    /// - Throws: ``ChatError/invalid(_:_:)`` if the URL is not an HTTP URL with a host.
    init(_ url: URL) throws(ChatError) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = url.host(),
            !host.isEmpty
        else { throw .invalid(.address, "\(url) is not the address of a server: http:// or https:// and a host") }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        base = "\(scheme)://\(name)" + (url.port.map { ":\($0)" } ?? "")
    }

    /// Returns the URL of a socket.
    func socket(ticket: String?) -> String {
        let path = "/v1/socket" + (ticket.map { "?ticket=\(Self.escape($0))" } ?? "")
        return "ws" + base.dropFirst(4) + path
    }

    /// Returns the URL of a REST call.
    func call(_ path: [String], _ query: [(String, String)] = []) -> String {
        let pairs = query.map { "\(Self.escape($0.0))=\(Self.escape($0.1))" }
        return base + path.map { "/" + Self.escape($0) }.joined() + (pairs.isEmpty ? "" : "?")
            + pairs.joined(separator: "&")
    }

    /// Percent-encodes the same characters as `encodeURIComponent`.
    static func escape(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if plain.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ChatCredentials {
    /// The headers that carry the credentials.
    var headers: [(name: String, value: String)] {
        switch self {
        case .bearer(let token): [("Authorization", "Bearer \(token)")]
        case .basic(let username, let password):
            [("Authorization", "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")]
        case .apiKey(let key, let user): [("Authorization", "Bearer \(key)"), ("X-Parley-User", user)]
        }
    }
}
