package import ParleyModel

/// The read cursors that a batch advances. Each cursor is written once per batch, however many messages a user sends.
package struct PendingCursors: Sendable {
    package struct Key: Hashable, Sendable {
        package let thread: ThreadID
        package let user: UserID

        package init(thread: ThreadID, user: UserID) {
            self.thread = thread
            self.user = user
        }
    }

    package struct Cursor: Hashable, Sendable {
        package let seq: Int64
        /// The number of messages up to and including `seq`.
        package let n: Int64
    }

    package private(set) var cursors: [Key: Cursor] = [:]

    package init() {}

    /// Advances the cursor of `user` to `seq`, up to which there are `n` messages. A cursor never moves back.
    package mutating func move(_ user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        let key = Key(thread: thread, user: user)
        guard seq > cursors[key]?.seq ?? 0 else { return }
        cursors[key] = Cursor(seq: seq, n: n)
    }

    /// Advances the cursor of the event's user: sending a message or joining marks everything up to there as read.
    package mutating func move(by event: LogEvent, at place: EventPlace) {
        switch event.body {
        case .message(let message): move(message.sender.id, in: event.thread, to: place.seq, n: place.n)
        case .joined(let user, _): move(user.id, in: event.thread, to: place.seq, n: place.n)
        case .edited, .deleted, .reaction, .left, .renamed, .role, .visibility: break
        }
    }

    package mutating func removeAll() {
        cursors.removeAll(keepingCapacity: true)
    }
}
