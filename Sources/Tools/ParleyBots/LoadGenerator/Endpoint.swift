package import NIOCore

/// The address of a server for sockets or REST calls.
package struct Endpoint: Sendable {
    package let url: String
    package let host: String
    package let port: Int
    package let path: String
    package let isTLS: Bool
    package let address: SocketAddress

    /// - Parameter url: `ws://`, `wss://`, `http://` or `https://`, a host, and optionally a port and a path.
    /// - Throws: `PlanError` if it is invalid, or if its host has no address.
    package init(_ url: String) throws(PlanError) {
        let parts = url.split(separator: "://", maxSplits: 1).map(String.init)
        guard parts.count == 2, ["ws", "wss", "http", "https"].contains(parts[0]) else {
            throw PlanError("\(url) is not a server URL; expected ws://HOST:PORT")
        }
        isTLS = parts[0] == "wss" || parts[0] == "https"
        let slash = parts[1].firstIndex(of: "/") ?? parts[1].endIndex
        let authority = parts[1][..<slash]
        let path = String(parts[1][slash...])
        self.path = path.isEmpty || path == "/" ? "/chat" : path
        self.url = url
        var port = isTLS ? 443 : 80
        var host = String(authority)
        // An IPv6 address is in brackets, and its colons do not begin a port.
        if let colon = authority.lastIndex(of: ":"), authority[colon...].firstIndex(of: "]") == nil {
            guard let number = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(number) else {
                throw PlanError("\(url) has no valid port")
            }
            port = number
            host = String(authority[..<colon])
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { throw PlanError("\(url) has no host") }
        (self.host, self.port) = (host, port)
        do {
            address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        } catch {
            throw PlanError("\(url): \(error)")
        }
    }

    /// For the `Host` header.
    package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether it is on this machine, so that clients can use other loopback addresses.
    package var isLoopback: Bool { host.hasPrefix("127.") || host == "localhost" }
}
