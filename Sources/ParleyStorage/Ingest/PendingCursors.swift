package import ParleyModel

/// Read cursors that a batch moves forward: however much a user says in it, each is written once.
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
        /// How many messages there are up to it.
        package let n: Int64
    }

    package private(set) var cursors: [Key: Cursor] = [:]

    package init() {}

    /// The cursor of `user` goes to `seq`, up to which there are `n` messages; never back.
    package mutating func move(_ user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        let key = Key(thread: thread, user: user)
        guard seq > cursors[key]?.seq ?? 0 else { return }
        cursors[key] = Cursor(seq: seq, n: n)
    }

    /// An event takes the cursor of its user along: who says something or joins has read up to there.
    package mutating func move(by event: LogEvent, at place: EventPlace) {
        switch event.body {
        case .message(let message): move(message.sender.id, in: event.thread, to: place.seq, n: place.n)
        case .joined(let user, _): move(user.id, in: event.thread, to: place.seq, n: place.n)
        case .edited, .deleted, .reaction, .left, .renamed, .role: break
        }
    }

    package mutating func removeAll() {
        cursors.removeAll(keepingCapacity: true)
    }
}
