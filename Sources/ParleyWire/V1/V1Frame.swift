package import ParleyModel

/// Everything that a server says in the v1 dialect.
package enum V1Frame: Hashable, Sendable {
    package enum MembershipChange: String, Hashable, Sendable {
        case added, removed
    }

    case hello(V1Hello)
    case ack(V1Ack)
    case page(V1Page)
    case error(V1Failure, ref: Int64?)
    /// To all members alike, so mostly as a `SharedFrame`.
    case event(LogEvent)
    /// What has no seq; some notices are not shown. To all members alike, so mostly as a `SharedFrame`.
    case ephemeral(EphemeralEvent, ThreadID)
    case presence(V1Presence)
    /// The client's own membership has changed.
    case thread(MembershipChange, V1Thread)
    case resumed([ThreadID: V1Resumption], ref: Int64?)
    /// These events are left out.
    case behind([ThreadID: ClosedRange<Int64>])
    /// This node is going; the client is to come back after so many milliseconds.
    case bye(reconnectAfterMilliseconds: Int64, ticket: String?)
    /// - Parameter serverTime: Unix milliseconds.
    case pong(Int64, serverTime: Int64, ref: Int64?)
}
