/// Which one-time tickets have been used, over all nodes.
package protocol TicketStore: Sendable {
    /// - Parameters:
    ///   - nonce: identifies the ticket.
    ///   - expiry: Unix milliseconds, after which the ticket is invalid and its record may be deleted.
    /// - Returns: `true` the first time, `false` afterwards.
    /// - Throws: if it cannot be determined. The ticket may be used up then.
    func redeem(_ nonce: String, until expiry: Int64) async throws(SharedStoreError) -> Bool
}

/// The names that guests of the line listener have at the moment, over all nodes.
package protocol GuestNames: Sendable {
    /// - Returns: whether the connection now owns the name; `false` if another connection has one that people would take
    ///   for it.
    func claim(_ name: NameLook, for connection: ConnectionID) async -> Bool
    func release(_ name: NameLook, by connection: ConnectionID) async
}

/// Temporary storage for the stamps of traced messages, shared by all nodes.
package protocol TraceStore: Sendable {
    /// Adds stamps of a message. Best effort, since nothing depends on them.
    func add(_ stamps: [TraceStamp], of message: MessageID) async

    /// All stamps of a message, in any order; empty if there are none or they have expired.
    func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp]
}

/// The reason that a store that all nodes share has no answer.
package enum SharedStoreError: Error, Hashable, Sendable {
    /// It cannot be reached, or has lost its content; fall back or retry later.
    case unavailable(String)
}
