import NIOHTTP1
import ParleyAccounts

/// A WebSocket handshake, read from the head of an HTTP request (RFC 6455 §4.2.1).
struct UpgradeRequest: Sendable {
    let head: HTTPRequestHead
    /// The address of the peer, or the address that a trusted proxy forwards.
    let address: String
    /// Whether a trusted proxy forwards the address.
    let isForwarded: Bool

    /// Whether a request is for the WebSocket endpoint, by its path with or without a trailing slash. The HTTP router
    /// gets all other spellings and responds 404.
    static func isFor(_ uri: String, paths: Set<String>) -> Bool {
        var path = uri.utf8.prefix { $0 != UInt8(ascii: "?") }
        if path.last == UInt8(ascii: "/") { path.removeLast() }
        return paths.contains(String(Substring(path)))
    }

    /// The violation of RFC 6455; `nil` if the handshake is well formed.
    var violation: Rejection? {
        guard head.method == .GET else {
            return .wrongMethod
        }
        guard lists("upgrade", "websocket") else {
            return .upgradeRequired
        }
        guard lists("connection", "upgrade") else {
            return .badRequest("the header Connection must list Upgrade")
        }
        guard head.version == .http1_1 else {
            return .badRequest("a WebSocket is opened by HTTP/1.1")
        }
        guard head.headers["sec-websocket-version"] == ["13"] else {
            return .badVersion
        }
        let keys = head.headers["sec-websocket-key"]
        guard keys.count == 1, Self.isKey(keys[0]) else {
            return .badRequest("the header Sec-WebSocket-Key must be the base64 of 16 bytes")
        }
        return nil
    }

    var credentials: PresentedCredentials {
        PresentedCredentials(
            authorization: head.headers.first(name: "authorization"),
            actingUser: head.headers.first(name: "x-parley-user"),
            cookies: head.headers["cookie"],
            origin: head.headers.first(name: "origin"),
            host: head.headers.first(name: "host"),
            ticket: query("ticket"),
            address: address,
            isSafeMethod: false
        )
    }

    /// The first value of this name in the query string.
    func query(_ name: String) -> String? {
        guard let start = head.uri.firstIndex(of: "?") else { return nil }
        for pair in head.uri[start...].dropFirst().prefix(while: { $0 != "#" }).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Tickets are URL-safe, so no decoding is needed.
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }

    private func lists(_ header: String, _ value: String) -> Bool {
        head.headers[canonicalForm: header].contains { $0.lowercased() == value }
    }

    private static func isKey(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes.hasSuffix("==") else { return false }
        return bytes.dropLast(2).allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
