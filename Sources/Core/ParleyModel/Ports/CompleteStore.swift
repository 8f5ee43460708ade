/// All store ports together, as a program uses them.
package protocol CompleteStore: MessageStore, AccountStore, StateStore, Outbox, Cleanups, AttachmentStore, Directory,
    ChangeFeed, TimeSource, Sendable
{
    /// Migrates the tables to this version of Parley.
    func migrate() async throws(StoreError)
    /// Throws unless the database answers and has the schema of this version.
    func check() async throws(StoreError)
    func close() async throws(StoreError)
    /// Whether a write that fails has stored nothing. It is not known of a server whose reply was lost.
    var failsWhole: Bool { get }
    /// The thread of the only writer; `nil` if there are several.
    var writerExecutor: (any TaskExecutor)? { get }
    /// Does what is due; called each second.
    func maintain() async
}
