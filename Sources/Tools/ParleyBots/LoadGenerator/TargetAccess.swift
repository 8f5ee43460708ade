import NIOCore
import NIOSSL

/// The endpoints, credentials and TLS settings with which bots connect.
struct TargetAccess: Sendable {
    let endpoints: [Endpoint]
    let apiKey: String
    let population: Population
    /// The session of each bot, by bot number; empty if bots use the API key.
    let sessions: [String]
    private let context: NIOSSLContext?

    /// - Parameter isLenient: skips certificate validation.
    init(endpoints: [Endpoint], apiKey: String, population: Population, sessions: [String], isLenient: Bool) throws {
        self.endpoints = endpoints
        self.apiKey = apiKey
        self.population = population
        self.sessions = sessions
        context = try endpoints.contains(where: \.isTLS) ? TLS.context(isLenient: isLenient) : nil
    }

    /// Makes the TLS handler; `nil` for an endpoint without TLS.
    func tls(for endpoint: Endpoint) -> (@Sendable () throws -> NIOSSLClientHandler)? {
        guard endpoint.isTLS, let context else { return nil }
        return { try TLS.handler(context, host: endpoint.host) }
    }

    private func credentials(of bot: Bot) -> String {
        if bot.number < sessions.count { return "Authorization: Bearer \(sessions[bot.number])\r\n" }
        return "Authorization: Bearer \(apiKey)\r\nX-Parley-User: \(population.user(bot.number))\r\n"
    }

    /// No context takeover in either direction (RFC 7692 §7.1.1), so that no state is kept between messages.
    private static let compression =
        "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n"

    func upgradeRequest(for bot: Bot, at endpoint: Endpoint) -> String {
        var path = endpoint.path
        if let ticket = bot.ticket { path += "?ticket=\(ticket)" }
        // Any key will do, since no proxy caches the response to an upgrade.
        return """
            GET \(path) HTTP/1.1\r
            Host: \(endpoint.authority)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \(bot.isClassic ? "" : "Sec-WebSocket-Protocol: parley.v1\r\n")\
            \(population.isCompressed[bot.number] ? Self.compression : "")\
            \(bot.ticket == nil ? credentials(of: bot) : "")\
            \r

            """
    }
}
