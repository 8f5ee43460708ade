package import ParleyModel

/// Removing content from the log.
extension LogCore {
    /// Removes texts, parts and names from the events of a thread; see `MessageLog.redact`.
    package mutating func redact(_ redaction: LogRedaction, in thread: ThreadID) {
        queues[PartitionMap.number(of: thread, count: queues.count)].redactEdits(of: thread, by: redaction)
        guard let index = threads.index(of: thread) else { return }
        threads[index].log?.redact(redaction)
    }

    /// Forgets a deleted thread; see `MessageLog.forget`. Waiting appends to it are appended in the next epoch; events
    /// of the old epoch in the ingest queue are refused once the store has decided on them.
    package mutating func forget(_ thread: ThreadID) {
        beginOtherEpoch()
        once.forget(thread)
        guard let index = threads.index(of: thread) else { return }
        threads.restart(at: index, in: epoch)
    }
}
