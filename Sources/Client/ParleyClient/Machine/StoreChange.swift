/// A change of the stored state. The changes of one output form a transaction.
package enum StoreChange: Hashable, Sendable {
    case thread(ThreadRecord)
    /// Remove a thread with its messages and outbox entries.
    case removeThread(String)
    /// Remove the messages and ranges of a thread.
    case clearMessages(String)
    /// Remove messages, notices and ranges below a `seq`, except for the newest message, which the list of threads
    /// shows.
    case trimMessages(String, below: Int)
    case message(StoredMessage)
    case notice(ChatNotice)
    /// Edit a message. Changes of messages that are not cached have no effect.
    case edit(thread: String, seq: Int, text: String, milliseconds: Int64)
    case delete(thread: String, seq: Int)
    case react(thread: String, seq: Int, user: String, emoji: String, isOn: Bool)
    /// Show the messages of a user under another display name; `nil` for the username.
    case rename(user: String, displayName: String?)
    /// Note that all messages of a range are cached.
    case range(thread: String, from: Int, to: Int)
    case entry(ClientOutboxEntry)
    case removeEntry(String)
    case account(ChatUser)
    /// The IDs of all users that the user blocks.
    case blocks([String])
    /// Remove everything, because the database now belongs to another user.
    case clear
}
