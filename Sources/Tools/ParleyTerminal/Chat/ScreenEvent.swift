/// An event for a screen.
package enum ScreenEvent: Sendable {
    case key(Key)
    case resized(columns: Int, rows: Int)
    case connection(ConnectionNotice, unsent: Int)
    case user(String)
    /// The maximum number of Unicode scalars in a message.
    case textLimit(Int)
    case threads([ShownThread])
    /// The window of messages of the open thread.
    case messages(thread: String, [ShownMessage], hasOlder: Bool, hasNewer: Bool)
    /// A thread was joined or opened and must be shown.
    case entered(thread: String)
    case suggestions(Prompt.Kind, prefix: String, [String])
    case found(words: String, [ShownMessage], hasMore: Bool)
    case list(title: String, [String])
    /// The IDs of the users that the user blocks.
    case blocks(Set<String>)
    /// The user's invitations.
    case invitations([ShownInvitation])
    /// The names of the users who ask to be let into a thread that the user moderates.
    case requests(thread: String, [String])
    /// A notice for the user.
    case notice(String)
}

/// The state of the connection.
package enum ConnectionNotice: Hashable, Sendable {
    /// - Parameter retry: The time of the next attempt.
    case offline(retry: LocalTime?)
    case connecting
    case connected
}

/// An effect that a screen requests.
package enum ScreenEffect: Hashable, Sendable {
    /// Open another thread and report its messages.
    case open(thread: String)
    case send(thread: String, text: String, replyTo: Int?)
    case edit(thread: String, id: String, text: String)
    case delete(thread: String, id: String)
    case react(thread: String, id: String, emoji: String, isOn: Bool)
    case retry(thread: String, id: String)
    case discard(thread: String, id: String)
    case markRead(thread: String, seq: Int)
    case typing(thread: String, isOn: Bool)
    case loadOlder
    case loadNewer
    case jump(seq: Int)
    case jumpToDate(year: Int, month: Int, day: Int)
    case jumpToNewest
    case suggest(Prompt.Kind, prefix: String)
    case search(words: String)
    case join(title: String)
    case direct(user: String)
    case leave(thread: String)
    case members(thread: String)
    case sanction(thread: String, SanctionCommand)
    case sanctions(thread: String)
    /// - Parameter thread: The open thread; empty if there is none and the command needs none.
    case entrance(thread: String, EntranceCommand)
    /// - Parameter thread: The open thread; empty if there is none and the command needs none.
    case room(thread: String, RoomCommand)
    case redraw
    case suspend
    case quit
}
