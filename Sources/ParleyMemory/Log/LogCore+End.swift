import ParleyModel

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
