package import ParleyModel

/// A decoded server frame.
package enum V1Received: Hashable, Sendable {
    case frame(V1Frame)
    /// An event of a kind unknown to this client; its position in the log counts nevertheless.
    case unknownEvent(ThreadID, Position)
    /// A frame of a later server; to be ignored.
    case unknown(type: String)
}
