package import ParleyModel

/// A frame that a server sends in the v1 dialect.
package enum V1Frame: Hashable, Sendable {
    /// A change of the client's own membership.
    package enum MembershipChange: String, Hashable, Sendable {
        case added, removed
    }

    case hello(V1Hello)
    case ack(V1Ack)
    case page(V1Page)
    case error(V1Failure, ref: Int64?)
    /// The same for all members, so mostly sent as a `SharedFrame`.
    case event(LogEvent)
    /// An event without seq; some are not represented. The same for all members, so mostly sent as a `SharedFrame`.
    case ephemeral(EphemeralEvent, ThreadID)
    case presence(V1Presence)
    /// The user has another name or profile. The same for all recipients, so sent as a `SharedFrame`.
    case user(User, Profile)
    /// The client's own membership has changed.
    case thread(MembershipChange, V1Thread)
    /// The client's own mute in a thread has begun, changed, or been ended (`nil`).
    case mute(ThreadID, Sanction?)
    /// The client's own invitations have changed (`nil`), or the invitations or requests of a thread that the client moderates.
    case entrances(ThreadID?)
    /// The details, rights or slow mode of a room have changed, or whether a direct thread is blocked.
    case room(ThreadID, RoomOptions, isBlocked: Bool)
    /// The users that the client's user blocks.
    case blocks([UserID])
    case resumed([ThreadID: V1Resumption], ref: Int64?)
    /// These events were skipped.
    case behind([ThreadID: ClosedRange<Int64>])
    /// The node is shutting down; the client reconnects after this many milliseconds.
    case bye(reconnectAfterMilliseconds: Int64, ticket: String?)
    /// - Parameter serverTime: Unix milliseconds.
    case pong(Int64, serverTime: Int64, ref: Int64?)
}
