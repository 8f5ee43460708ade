/// A change of what is kept on the device. The changes of one output are one transaction.
package enum StoreChange: Hashable, Sendable {
    case thread(ThreadRecord)
    /// With its messages and outbox entries.
    case removeThread(String)
    /// A thread's messages and ranges.
    case clearMessages(String)
    /// Messages, notices and ranges below a place, but not the newest message, which the list of threads shows.
    case trimMessages(String, below: Int)
    case message(StoredMessage)
    case notice(ChatNotice)
    /// The changes of a message have no effect if it is not cached.
    case edit(thread: String, seq: Int, text: String, milliseconds: Int64)
    case delete(thread: String, seq: Int)
    case react(thread: String, seq: Int, user: String, emoji: String, isOn: Bool)
    /// All messages of these places are cached.
    case range(thread: String, from: Int, to: Int)
    case entry(ClientOutboxEntry)
    case removeEntry(String)
    case account(ChatUser)
    /// Everything: the database belongs to another user now.
    case clear
}
