package import ParleyModel

/// Reading the log.
extension LogCore {
    /// Looks up the end of a thread. If it is unknown, the store is queried, and `query` gets a `resume` after the
    /// reply.
    package mutating func know(_ thread: ThreadID, for query: RequestID) -> (isKnown: Bool, actions: [LogAction]) {
        let index = entry(of: thread)
        let isKnown = threads[index].log != nil
        if !isKnown {
            if isStopped {
                actions.append(.resume(query, .unavailable("the log has stopped")))
            } else if waiting >= settings.waiting {
                actions.append(.resume(query, .unavailable("too many queries wait")))
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
