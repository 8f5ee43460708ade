public import Foundation

/// A mute of the user in a room: the user can read, but not send, edit, delete, react or show that they are typing.
///
/// A moderator or the owner of the room has decided it. The server refuses what a muted user sends with the code
/// `forbidden`; the message is then `failed`, and can be retried after the mute.
public struct ChatMute: Hashable, Sendable {
    /// The end by the server's clock, in milliseconds; `nil` for a mute that lasts until a moderator ends it.
    ///
    /// The client compares it with the server's clock, as reported at the latest connection, and removes the mute from
    /// ``ChatThread/mute`` at that time, also without a connection.
    public var until: Date?
    /// The reason that the moderator has given, at most 500 characters; `nil` if there is none.
    public var reason: String?

    /// Creates a mute.
    /// - Parameters:
    ///   - until: The end; `nil` for a mute that lasts until a moderator ends it.
    ///   - reason: The reason that the moderator has given.
    public init(until: Date? = nil, reason: String? = nil) {
        self.until = until
        self.reason = reason
    }
}

extension ChatMute {
    init(_ mute: ServerFrame.Mute) {
        self.init(until: mute.until.map { Date(milliseconds: $0) }, reason: mute.reason)
    }
}
