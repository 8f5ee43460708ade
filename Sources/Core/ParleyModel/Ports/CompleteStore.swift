/// All store ports together, as a program uses them.
package protocol CompleteStore: MessageStore, AccountStore, StateStore, Outbox, Cleanups, AttachmentStore, Directory,
    ChangeFeed, DeviceStore, EventFeed, EventGroups, NotificationStore, UnseenLog, Webhooks, TimeSource, Sendable
{
    /// Migrates the tables to this version of Parley.
    func migrate() async throws(StoreError)
    /// Throws unless the database answers and has the schema of this version.
    func check() async throws(StoreError)
    func close() async throws(StoreError)
    /// Whether a failed write has stored nothing. Unknown for a server whose reply was lost.
    var failsWhole: Bool { get }
    /// The thread of the only writer; `nil` if there are several.
    var writerExecutor: (any TaskExecutor)? { get }
    /// Performs due maintenance. Called every second.
    func maintain() async
}
