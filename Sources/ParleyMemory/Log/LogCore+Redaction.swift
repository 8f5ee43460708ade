package import ParleyModel

/// What is taken out of the log.
extension LogCore {
    /// Takes texts, parts and names out of the events of a thread; see `MessageLog.redact`.
    package mutating func redact(_ redaction: LogRedaction, in thread: ThreadID) {
        queues[PartitionMap.number(of: thread, count: queues.count)].redactEdits(of: thread, by: redaction)
        guard let index = threads.index(of: thread) else { return }
        threads[index].log?.redact(redaction)
    }

    /// Forgets a thread that was deleted; see `MessageLog.forget`. What waits to be appended to it is appended to the
    /// next epoch; what is in the ingest queue of the old one is refused when the store has decided about it.
    package mutating func forget(_ thread: ThreadID) {
        beginOtherEpoch()
        once.forget(thread)
        guard let index = threads.index(of: thread) else { return }
        threads.restart(at: index, in: epoch)
    }
}
