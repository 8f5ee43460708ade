package import ParleyModel
import Synchronization

/// The stamps of the newest traced messages of one process. Owned by a lock; bounded by the number of messages, and a
/// message has few stamps, since there is one node.
package final class MemoryTraceStore: TraceStore {
    private struct State {
        var stamps: [MessageID: [TraceStamp]] = [:]
        /// In the order in which they were first heard of; the oldest goes first.
        var messages: [MessageID] = []
    }

    /// The most stamps of a message.
    package static let mostStamps = 1000

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: messages remembered.
    package init(limit: Int = 1000) {
        self.limit = max(1, limit)
    }

    package func add(_ stamps: [TraceStamp], of message: MessageID) async {
        state.withLock { state in
            if state.stamps[message] == nil {
                state.messages.append(message)
                // Half at once, so that the list is seldom moved.
                if state.messages.count > limit {
                    let surplus = max(1, limit / 2)
                    for old in state.messages.prefix(surplus) { state.stamps[old] = nil }
                    state.messages.removeFirst(surplus)
                }
            }
            let room = Self.mostStamps - state.stamps[message, default: []].count
            state.stamps[message, default: []] += stamps.prefix(max(0, room))
        }
    }

    package func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp] {
        state.withLock { $0.stamps[message] ?? [] }
    }
}
