import NIOCore
import NIOSSL

/// How bots get in: the servers, the API key, and TLS.
struct Access: Sendable {
    let endpoints: [Endpoint]
    let apiKey: String
    let population: Population
    /// By number of the bot, its session; empty if bots come with the API key.
    let sessions: [String]
    private let context: NIOSSLContext?

    /// - Parameter isLenient: certificates are not checked.
    init(endpoints: [Endpoint], apiKey: String, population: Population, sessions: [String], isLenient: Bool) throws {
        self.endpoints = endpoints
        self.apiKey = apiKey
        self.population = population
        self.sessions = sessions
        context = try endpoints.contains(where: \.isTLS) ? TLS.context(isLenient: isLenient) : nil
    }

    /// Makes the handler that encrypts; `nil` for a door without TLS.
    func tls(for endpoint: Endpoint) -> (@Sendable () throws -> NIOSSLClientHandler)? {
        guard endpoint.isTLS, let context else { return nil }
        return { try TLS.handler(context, host: endpoint.host) }
    }

    private func credentials(of bot: Bot) -> String {
        if bot.number < sessions.count { return "Authorization: Bearer \(sessions[bot.number])\r\n" }
        return "Authorization: Bearer \(apiKey)\r\nX-Parley-User: \(population.user(bot.number))\r\n"
    }

    /// Every message is to stand alone, in both directions (RFC 7692 §7.1.1), so that nothing is kept between two.
    private static let compression =
        "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n"

    func upgradeRequest(for bot: Bot, at endpoint: Endpoint) -> String {
        var path = endpoint.path
        if let ticket = bot.ticket { path += "?ticket=\(ticket)" }
        // Any key will do: nobody caches the answer to an upgrade.
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
