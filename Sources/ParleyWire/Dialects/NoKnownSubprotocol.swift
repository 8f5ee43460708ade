/// Every subprotocol that a client offers is unknown; the upgrade is refused with 400.
package struct NoKnownSubprotocol: Error, Hashable, Sendable {
    package init() {}

    /// What was wrong and what is allowed, for the client.
    package var explanation: String {
        let names = Dialect.allCases.compactMap(\.subprotocol).joined(separator: ", ")
        return "no known Sec-WebSocket-Protocol is offered; allowed are: \(names), or none for the classic dialect"
    }
}
