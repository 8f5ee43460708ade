import ParleyClientCore
import ParleyModel
import ParleyStoreModel

/// The checks of the threads that users are in, and of who may write there, when everything is at rest.
extension World {
    /// The time within which every node must know of a change of rights, after the end of all faults.
    private static let notice: Int64 = 10_000_000_000

    /// Whether a right may have changed during the simulation.
    private var hasChangedRights: Bool {
        entrances.hasChanged || users.contains { !$0.mutedRooms.isEmpty || !$0.leftRooms.isEmpty }
    }

    /// Lets the time pass after which every node must know of all changes.
    func waitForNotice() {
        guard observations.violations.isEmpty, hasChangedRights else { return }
        scheduler.run(until: scheduler.now + Self.notice)
        roomViews.isFinal = true
        if !users.contains(where: \.isConnected) { observations.violation("no user is connected at the end") }
    }

    /// Compares the threads that users have with their memberships.
    func checkMemberships() {
        guard observations.violations.isEmpty, hasChangedRights else { return }
        let tables = databaseServer.snapshot().tables
        for user in users where user.isConnected {
            guard let id = UserID(user.id) else { continue }
            let stored = Set((tables.threadsByMember[id] ?? []).map(\.text))
            for thread in stored.subtracting(user.threads.keys).sorted() {
                observations.violation("a user is in a thread, and was not told: \(user.name), \(thread)")
            }
            for thread in Set(user.threads.keys).subtracting(stored).sorted() {
                observations.violation("a user has a thread, and is not in it: \(user.name), \(thread)")
            }
        }
    }

    /// Has all users show in all of their threads that they do not type, for which they need the right to write.
    func probeRights() {
        guard observations.violations.isEmpty, hasChangedRights else { return }
        let now = scheduler.wallNow / 1_000_000
        let places = users.filter(\.isConnected).flatMap { user in
            rooms.filter { user.threads[$0] != nil }.compactMap { room -> MemberPlace? in
                guard let id = UserID(user.id), let thread = ThreadID(room) else { return nil }
                return MemberPlace(user: id, thread: thread)
            }
        }
        let memberships = wait { [database] in try await database.memberships(at: places) } ?? [:]
        for user in users where user.isConnected {
            for room in rooms where user.threads[room] != nil {
                guard let id = UserID(user.id), let thread = ThreadID(room),
                    let membership = memberships[MemberPlace(user: id, thread: thread)]
                else { continue }
                // Around its end, both answers are right.
                if let until = membership.mute?.until, abs(until - now) < 3000 { continue }
                checkTold(user, membership, at: now)
                let mayWrite =
                    membership.mute(at: now) == nil && MessageRights.violation(writingAs: membership) == nil
                user.probe(room, mayWrite: mayWrite)
            }
        }
        let isAnswered = scheduler.run(atMost: 20_000_000_000) { users.allSatisfy { $0.requests.isEmpty } }
        if !isAnswered { observations.violation("typing in one's own rooms got no answer") }
    }

    /// Compares what a user was told about their rights in a thread with what is stored.
    private func checkTold(_ user: SimulatedUser, _ membership: Membership, at now: Int64) {
        let room = membership.thread.id.text
        let isMuted = membership.mute(at: now) != nil
        let told = user.toldMutes[room].map { $0.until.map { now < $0 } ?? true } ?? false
        if told != isMuted {
            observations.violation("\(user.name) is \(isMuted ? "" : "not ")muted in \(room), and was told otherwise")
        }
        var stored = ServerFrame.RoomFields()
        stored.isArchived = membership.options.isArchived
        stored.slowSeconds = membership.options.slowSeconds
        stored.isBlocked = membership.isBlocked
        let fields = user.toldRights[room] ?? ServerFrame.RoomFields()
        let writes = fields.moderatorRights.contains("write") == (membership.options.rights[.write] == .moderators)
        if !writes || fields.isArchived != stored.isArchived || fields.slowSeconds != stored.slowSeconds
            || fields.isBlocked != stored.isBlocked
        {
            observations.violation(
                "the rights in a thread are not what a user was told: \(room), \(user.name), \(fields)")
        }
    }
}
