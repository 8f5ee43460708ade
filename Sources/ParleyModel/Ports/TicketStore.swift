/// Which one-time tickets have been used, over all nodes.
package protocol TicketStore: Sendable {
    /// - Parameters:
    ///   - nonce: identifies the ticket.
    ///   - expiry: Unix milliseconds, after which the ticket is void and its record may be deleted.
    /// - Returns: `true` the first time, `false` afterwards.
    func redeem(_ nonce: String, until expiry: Int64) async -> Bool
}
