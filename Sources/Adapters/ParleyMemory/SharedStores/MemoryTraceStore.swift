package import ParleyModel
import Synchronization

/// The stamps of the newest traced messages of one process. Protected by a lock; bounded by the number of messages and
/// of stamps per message.
package final class MemoryTraceStore: TraceStore {
    private struct State {
        var stamps: [MessageID: [TraceStamp]] = [:]
        /// In order of their first stamp; the oldest message is removed first.
        var messages: [MessageID] = []
    }

    /// The maximum number of stamps per message.
    package static let mostStamps = 1000

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the maximum number of remembered messages.
    package init(limit: Int = 1000) {
        self.limit = max(1, limit)
    }

    package func add(_ stamps: [TraceStamp], of message: MessageID) async {
        state.withLock { state in
            if state.stamps[message] == nil {
                state.messages.append(message)
                // Removes half at once, so that the array is seldom moved.
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
