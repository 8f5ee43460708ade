/// The waits of slow mode, by thread. They are not stored.
package struct SlowMode: Sendable {
    package struct Wait: Hashable, Sendable {
        /// The end by the monotonic clock, which a change of the date does not prolong.
        package let end: Duration
        /// The end by the clock of this device, in milliseconds since 1970.
        package let milliseconds: Int64
    }

    package private(set) var waits: [String: Wait] = [:]
    /// The threads in which the server has refused a message, so that nothing is sent until the end.
    private var refused: Set<String> = []

    package var deadline: Duration? { waits.values.map(\.end).min() }

    package func mayBeSent(in thread: String) -> Bool { !refused.contains(thread) }

    package mutating func wait(in thread: String, for duration: Duration, at now: Now, isRefused: Bool = false) {
        if isRefused { refused.insert(thread) }
        guard now.uptime + duration > waits[thread]?.end ?? .zero else { return }
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        waits[thread] = Wait(end: now.uptime + duration, milliseconds: now.milliseconds + milliseconds)
    }

    /// - Returns: The threads whose wait has ended.
    package mutating func expire(at now: Duration) -> [String] {
        let ended = waits.filter { $0.value.end <= now }.keys.sorted()
        for thread in ended { forget(thread) }
        return ended
    }

    package mutating func forget(_ thread: String) {
        waits[thread] = nil
        refused.remove(thread)
    }

    /// Lets messages be tried again on the next connection.
    package mutating func connectionEnded() { refused = [] }
}

/// Details and slow mode of rooms, and blocks of users.
extension ChatMachine {
    /// The maximum number of blocks of a user, as the server has it.
    private static let maximumBlocks = 1000

    mutating func receivedRoom(thread id: String, _ fields: ServerFrame.RoomFields) {
        guard var record = threads[id], record.take(fields) else { return }
        // The next message is tried, whatever slow mode was before.
        slow.forget(id)
        threads[id] = record
        note(record: id)
    }

    mutating func receivedBlocks(_ users: [String]) {
        let users = Set(users.prefix(Self.maximumBlocks))
        guard users != blocks else { return }
        blocks = users
        store(.blocks(users.sorted()))
        output.isBlocksChanged = true
    }

    /// Notes a message of the user, after which slow mode lets them wait.
    mutating func sent(in record: ThreadRecord, at milliseconds: Int64) {
        guard record.room.slowSeconds > 0, !record.isModerated else { return }
        let pause = min(record.room.slowSeconds, 86_400) * 1000
        let rest = min(max(milliseconds + pause - serverTime(at: now), 0), pause)
        if rest > 0 { slow.wait(in: record.id, for: .milliseconds(rest), at: now) }
    }

    /// Returns whether a refusal is one of slow mode, which concerns one thread, and notes the wait.
    mutating func isRefusedBySlowMode(_ refusal: ServerFrame.Refusal, in thread: String, _ pause: Duration) -> Bool {
        guard refusal.code == .rateLimited, refusal.message.hasPrefix("slow mode") else { return false }
        slow.wait(in: thread, for: pause, at: now, isRefused: true)
        return true
    }
}

extension ThreadRecord {
    /// Whether the user owns or moderates the room.
    var isModerated: Bool { role == .owner || role == .moderator }

    /// Whether the state of the room lets the user write; a mute and their role may not.
    var isOpenForWriting: Bool {
        !room.isArchived && !room.isBlocked && (!room.moderatorRights.contains("write") || isModerated)
    }

    /// Takes over a state of the room, unless a newer one is known: an answer of REST may be older than a frame.
    /// - Returns: Whether it differs.
    mutating func take(_ fields: ServerFrame.RoomFields) -> Bool {
        guard fields.changes >= room.changes, fields != room else { return false }
        room = fields
        return true
    }
}
