public import Foundation
import ParleyJSON

/// The request of a user to be let into a room or group, as its owner and moderators see it.
public struct ChatEntranceRequest: Hashable, Sendable, Identifiable {
    /// The ID of the user who asks.
    public var id: ChatUser.ID { user.id }
    /// The ID of the room.
    public let threadID: ChatThread.ID
    /// The user who asks.
    public let user: ChatUser
    /// The text of the request, 1 to 500 characters; `nil` if there is none.
    public let text: String?
    /// The date of the request, by the server's clock.
    public let since: Date

    /// Creates a request.
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - user: The user who asks.
    ///   - text: The text of the request.
    ///   - since: The date of the request.
    public init(threadID: ChatThread.ID, user: ChatUser, text: String? = nil, since: Date) {
        self.threadID = threadID
        self.user = user
        self.text = text
        self.since = since
    }
}

/// A request of the user to be let into a thread.
///
/// It tells nothing about the thread: an ID that does not exist, a private room and a refused request look the same until
/// the request ends. Only an acceptance shows: ``ChatClient/threads()`` contains the thread then.
public struct ChatMyRequest: Hashable, Sendable, Identifiable {
    /// The ID of the thread.
    public var id: ChatThread.ID { threadID }
    /// The ID of the thread.
    public let threadID: ChatThread.ID
    /// The text of the request, 1 to 500 characters; `nil` if there is none.
    public let text: String?
    /// The date of the request, by the server's clock.
    public let since: Date
    /// The end by the server's clock.
    public let until: Date

    /// Creates a request.
    /// - Parameters:
    ///   - threadID: The ID of the thread.
    ///   - text: The text of the request.
    ///   - since: The date of the request.
    ///   - until: The end.
    public init(threadID: ChatThread.ID, text: String? = nil, since: Date, until: Date) {
        self.threadID = threadID
        self.text = text
        self.since = since
        self.until = until
    }
}

extension ChatEntranceRequest {
    /// Reads a request from REST.
    init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text, let user = tree["user"].flatMap({ ChatUser($0) }) else {
            return nil
        }
        self.init(
            threadID: ChatThread.ID(thread), user: user, text: tree["text"]?.text,
            since: Date(milliseconds: tree["since_ms"]?.milliseconds ?? 0))
    }
}

extension ChatMyRequest {
    /// Reads a request of the user from REST.
    init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text else { return nil }
        self.init(
            threadID: ChatThread.ID(thread), text: tree["text"]?.text,
            since: Date(milliseconds: tree["since_ms"]?.milliseconds ?? 0),
            until: Date(milliseconds: tree["until_ms"]?.milliseconds ?? 0))
    }
}
