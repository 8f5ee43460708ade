import NIOCore
package import ParleyModel

/// The threads whose messages a node sends to Django, as a value: one turn at a time for each thread, and a limited
/// number of turns at once.
///
/// Bounded: a thread that finds no place is left to the `QueueSender.sweep` of any node.
package struct QueueTurns: Sendable {
    private let turnsAtOnce: Int
    private let limit: Int
    /// The threads that have a turn, and whether they need another one.
    private var running: [ThreadID: Bool] = [:]
    private var waiting = CircularBuffer<ThreadID>()
    private var waits: Set<ThreadID> = []

    package init(turnsAtOnce: Int = 32, limit: Int = 10_000) {
        self.turnsAtOnce = turnsAtOnce
        self.limit = limit
    }

    /// Records that a thread has messages to send.
    /// - Returns: Whether its turn begins now.
    package mutating func wants(_ thread: ThreadID) -> Bool {
        if running[thread] != nil {
            // The turn may have seen the end of the log already.
            running[thread] = true
            return false
        }
        guard running.count >= turnsAtOnce else {
            running[thread] = false
            return true
        }
        if waiting.count < limit, waits.insert(thread).inserted { waiting.append(thread) }
        return false
    }

    /// Records the end of a turn.
    /// - Returns: The thread whose turn begins now.
    package mutating func ended(_ thread: ThreadID) -> ThreadID? {
        if running[thread] == true {
            running[thread] = false
            return thread
        }
        running[thread] = nil
        guard let next = waiting.popFirst() else { return nil }
        waits.remove(next)
        running[next] = false
        return next
    }
}
