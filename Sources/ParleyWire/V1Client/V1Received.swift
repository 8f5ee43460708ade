package import ParleyModel

/// What a client of the v1 dialect makes of a server's frame.
package enum V1Received: Hashable, Sendable {
    case frame(V1Frame)
    /// An event of a kind that this client does not know: its place in the log counts all the same.
    case unknownEvent(ThreadID, Position)
    /// Something that a later server says; to be ignored.
    case unknown(type: String)
}
