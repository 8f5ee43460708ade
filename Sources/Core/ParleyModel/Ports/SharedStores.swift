/// Records the one-time tickets that were used, on all nodes.
package protocol TicketStore: Sendable {
    /// - Parameters:
    ///   - nonce: The identity of the ticket.
    ///   - expiry: The time after which the ticket is invalid and its record may be deleted, in Unix milliseconds.
    /// - Returns: `true` the first time, `false` afterwards.
    /// - Throws: An error if the answer is unknown. The ticket may then be used up.
    func redeem(_ nonce: String, until expiry: Int64) async throws(SharedStoreError) -> Bool
}

/// The names that guests of the line listener currently hold, on all nodes.
package protocol GuestNames: Sendable {
    /// - Returns: Whether the connection now holds the name; `false` if another connection holds a name that people would mistake for it.
    func claim(_ name: NameLook, for connection: ConnectionID) async -> Bool
    func release(_ name: NameLook, by connection: ConnectionID) async
}

/// Temporary storage for the stamps of traced messages, which all nodes share.
package protocol TraceStore: Sendable {
    /// Adds stamps of a message, with best effort, since nothing depends on them.
    func add(_ stamps: [TraceStamp], of message: MessageID) async

    /// All stamps of a message in any order; empty if there are none or they have expired.
    func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp]
}

/// The reason that a store shared by all nodes gave no answer.
package enum SharedStoreError: Error, Hashable, Sendable {
    /// The store is unreachable, or has lost its content. Fall back or retry later.
    case unavailable(String)
}
