package import ParleyModel
import Synchronization

/// The newest message of each sender in the rooms with a slow mode that this node has sent or delivered.
///
/// Only sends and deliveries in such rooms take the mutex. A node that neither has a socket of a member nor sends for one knows
/// nothing of the messages of other nodes; see decision 085.
package final class SlowMode: Sendable {
    private struct Place: Hashable {
        let thread: ThreadID
        let sender: UserID
    }

    /// The maximum number of senders that are remembered, of all rooms.
    package static let standardLimit = 100_000

    private let limit: Int
    private let marks = Mutex<[Place: SentMark]>([:])

    package init(limit: Int = standardLimit) {
        self.limit = max(limit, 1)
    }

    /// Notes a message that was delivered on this node. An older one than the known one changes nothing.
    package func delivered(_ mark: SentMark, in thread: ThreadID) {
        marks.withLock { marks in
            let place = Place(thread: thread, sender: mark.sender)
            if let known = marks[place], known.milliseconds >= mark.milliseconds { return }
            insert(mark, at: place, &marks)
        }
    }

    /// Takes the turn of a member.
    /// - Parameter now: Unix milliseconds by the database's clock.
    /// - Returns: 0, or the milliseconds until the member's next turn. A repeat of the newest message needs no turn.
    package func take(_ message: Message, in thread: ThreadID, seconds: Int64, at now: Int64) -> Int64 {
        marks.withLock { marks in
            let place = Place(thread: thread, sender: message.sender.id)
            if let known = marks[place] {
                let isRepeat = known.id == message.id || (known.clientID != nil && known.clientID == message.clientID)
                if isRepeat { return 0 }
                let (next, _) = known.milliseconds.addingReportingOverflow(seconds * 1000)
                if next > now { return min(next - now, seconds * 1000) }
            }
            insert(SentMark(message, at: now), at: place, &marks)
            return 0
        }
    }

    private func insert(_ mark: SentMark, at place: Place, _ marks: inout [Place: SentMark]) {
        if marks.count >= limit, marks[place] == nil {
            // A mark older than the longest pause means nothing. If that is not enough, the older half goes.
            let oldest = mark.milliseconds - RoomOptions.longestSlowMode * 1000
            marks = marks.filter { $0.value.milliseconds > oldest }
            if marks.count >= limit {
                let kept = marks.sorted { $0.value.milliseconds > $1.value.milliseconds }.prefix(limit / 2)
                marks = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
            }
        }
        marks[place] = mark
    }
}
