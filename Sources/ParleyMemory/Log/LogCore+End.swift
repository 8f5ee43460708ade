import ParleyModel

/// How the log ends.
extension LogCore {
    /// Nothing is appended any more, and all that waits is refused; by `.whenStored` also what the store does not
    /// have, which then never enters it: the ingest stream ends.
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
