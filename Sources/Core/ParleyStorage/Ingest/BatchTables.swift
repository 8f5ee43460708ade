package import ParleyModel

/// The work of a store for `BatchFlow`, inside the transaction of a batch: it looks up facts and writes rows. A store
/// may load the facts of the whole batch before, and write rows together at the end; what it has been told to write
/// counts for the facts after it.
package protocol BatchTables: AnyObject {
    // MARK: Facts

    /// Whether an event above the head of its thread is assumed to be new, and `insert` reports if it is not.
    var assumesNew: Bool { get }
    func checkpoint(of partition: Partition) throws -> IngestCheckpoint?
    /// The thread as stored; called once per thread.
    func thread(_ id: ThreadID) throws -> ThreadState?
    /// The reason that an entry was rejected; `nil` if it was not.
    func rejectReason(of entry: IngestBatch.Entry, in batch: IngestBatch) throws -> String?
    /// The verdict on an event by what is stored.
    func verdict(on event: LogEvent) throws -> EventVerdict
    /// Whether something is stored at a seq.
    func isTaken(_ seq: Int64, in thread: ThreadID) throws -> Bool
    func isErased(_ user: UserID) throws -> Bool
    /// Whether all of these users exist.
    func areKnown(_ users: Set<String>) throws -> Bool
    func isOfDeletedThread(_ event: LogEvent, _ thread: ThreadState?) throws -> Bool
    func message(_ id: MessageID, in thread: ThreadID) throws -> EventEffect.Subject?
    /// Whether a message makes a user of a direct thread a member: they are not one, and no departure of theirs is in
    /// the outbox. A store that ignores members whom it has already may leave the first to `addMember`.
    func isMissing(_ user: String, from thread: ThreadID) throws -> Bool
    /// Whether a reaction with a higher seq supersedes the reaction of the query.
    func isSuperseded(_ query: EventEffect.SupersedingQuery, at seq: Int64, in thread: ThreadID) throws -> Bool
    /// The neighbours of a free seq below the head. What has been written for the thread before is in the tables then.
    func neighbours(of seq: Int64, in thread: ThreadID) throws -> Neighbours?

    // MARK: Rows

    /// Writes the row of an event and moves the cursor of its user.
    /// - Parameters:
    ///   - effect: that of an event that is not a message.
    ///   - isLaterUse: whether the `client_id` of a message belongs to another one.
    /// - Returns: `false` if it is stored already, which only a store reports that assumes events to be new.
    func insert(_ event: LogEvent, _ effect: EventEffect?, isLaterUse: Bool, at place: EventPlace) throws -> Bool
    /// Applies an event to its message.
    func carryOut(_ effect: EventEffect, at place: EventPlace, in thread: ThreadID) throws
    /// Raises the numbers of the messages, events and cursors after a message that was inserted below the head.
    func countUp(after seq: Int64, in thread: ThreadID) throws
    /// Writes the row of a seq whose content is stored elsewhere.
    func insertRepeat(_ event: LogEvent, of first: Int64?) throws
    func insertDirectThread(_ id: ThreadID, of pair: Set<String>, at milliseconds: Int64) throws
    /// Makes a user a member, with their cursor at a place.
    func addMember(_ user: String, of thread: ThreadID, at place: EventPlace) throws
    /// Moves a read cursor forward.
    func moveCursor(of user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) throws
    /// Moves a read cursor as a mark says, possibly back, after the changes to it before.
    /// - Parameter state: the thread, which the batch may have changed.
    func moveCursor(_ mark: ReadMark, to seq: Int64, in state: ThreadState?) throws
    /// Removes an entry from the outbox, whose event is being stored or dropped.
    /// - Returns: whether it existed.
    func settle(_ event: LogEvent, outboxID: Int64) throws -> Bool
    /// Removes the texts of rejected entries about a deleted message.
    func forgetRejects(about message: MessageID, in thread: ThreadID) throws
    func reject(_ entry: RejectedEntry, of batch: IngestBatch) throws

    // MARK: Parts

    /// The reason of a rejection that an error of the database stands for, if it is about the row and the transaction
    /// can continue.
    func rejection(for error: any Error) -> UnstorableEvent?
    /// Runs several writes of one event so that none remains if one fails.
    func asOne<Value>(_ body: () throws -> Value) throws -> Value
}
