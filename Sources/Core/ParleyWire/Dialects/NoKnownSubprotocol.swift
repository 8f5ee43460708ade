/// The client offers unknown subprotocols only; the upgrade is rejected with 400.
package struct NoKnownSubprotocol: Error, Hashable, Sendable {
    package init() {}

    /// The error and the allowed values, for the client.
    package var explanation: String {
        let names = Dialect.allCases.compactMap(\.subprotocol).joined(separator: ", ")
        return "no known Sec-WebSocket-Protocol is offered; allowed are: \(names), or none for the classic dialect"
    }
}
