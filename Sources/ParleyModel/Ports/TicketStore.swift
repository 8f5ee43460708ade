/// Which one-time tickets have been used, over all nodes.
package protocol TicketStore: Sendable {
    /// - Parameters:
    ///   - nonce: names the ticket.
    ///   - expiry: Unix milliseconds, after which the ticket is void anyway and can be forgotten.
    /// - Returns: `true` the first time, `false` ever after.
    func redeem(_ nonce: String, until expiry: Int64) async -> Bool
}
