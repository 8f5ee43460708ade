package import ParleyModel

/// Reading the log.
extension LogCore {
    /// Looks up the end of a thread. If it is unknown, the store is queried, and `query` gets a `resume` after the
    /// reply.
    package mutating func resolveEnd(of thread: ThreadID, for query: AppendID) -> (isKnown: Bool, actions: [LogAction])
    {
        let index = entry(of: thread)
        let isKnown = threads[index].log != nil
        if !isKnown {
            if isStopped {
                actions.append(.resume(query, .unavailable("the log has stopped")))
            } else if waiting >= settings.waiting {
                actions.append(.resume(query, .unavailable("too many queries are waiting")))
            } else {
                waiting += 1
                threads[index].queries.append(query)
            }
        }
        return (isKnown, flush())
    }

    /// The end of a known thread; `nil` if it has no events.
    package func head(of thread: ThreadID) -> ThreadHead? {
        threads[thread]?.log?.head
    }

    /// The accepted events of a known thread.
    package func events(in thread: ThreadID, after seq: Int64, limit: Int) -> LogSlice {
        threads[thread]?.log?.slice(after: seq, limit: limit) ?? .nothing
    }
}

/// Removing content from the log.
extension LogCore {
    /// Removes texts, parts and names from the events of a thread; see `MessageLog.redact`.
    package mutating func redact(_ redaction: LogRedaction, in thread: ThreadID) {
        queues[PartitionMap.number(of: thread, count: queues.count)].redactEdits(of: thread, by: redaction)
        guard let index = threads.index(of: thread) else { return }
        threads[index].log?.redact(redaction)
    }

    /// Removes a deleted thread; see `MessageLog.forget`. Waiting appends to it are appended in the next epoch; events
    /// of the old epoch in the ingest queue are refused once the store has decided on them.
    package mutating func forget(_ thread: ThreadID) {
        beginOtherEpoch()
        once.forget(thread)
        guard let index = threads.index(of: thread) else { return }
        threads.restart(at: index, in: epoch)
    }
}

/// A store that is unavailable.
extension LogCore {
    /// Refuses all appends of some partitions that wait for the store, with their repeats. Their numbers are assigned
    /// again. Only with `.whenStored`, and if the store has committed none of them.
    package mutating func refuseUnstored(in partitions: [Partition]) -> [LogAction] {
        for partition in partitions where queues.indices.contains(partition.number) {
            for element in queues[partition.number].removeAll() {
                unstored -= 1
                if let index = threads.index(of: element.event.thread) {
                    threads[index].log?.settle(storedAs: nil)
                }
                refuse(element, .unavailable("the store cannot be written"))
            }
        }
        return flush()
    }
}

/// Stopping the log.
extension LogCore {
    /// Stops the log: all later and waiting appends are refused. With `.whenStored`, appends that the store has not
    /// reported yet are refused as well and never reach it, since the ingest stream ends.
    package mutating func stop() -> [LogAction] {
        isStopped = true
        let error = AppendError.unavailable("the log has stopped")
        for index in threads.indices {
            for query in threads[index].queries { actions.append(.resume(query, error)) }
            waiting -= threads[index].queries.count
            threads[index].queries = []
            failAll(at: index, error)
        }
        for number in queues.indices {
            if settings.acceptance == .whenStored {
                for element in queues[number].removeAll() {
                    unstored -= 1
                    refuse(element, error)
                }
            }
            actions.append(.wake(Partition(number: number)))
        }
        return flush()
    }
}
