import NIOCore
package import ParleyModel
import ParleyWire

/// The sockets of one event loop, with their users and threads.
///
/// - It stores the users and thread members of this loop, and releases topics that the loop no longer wants.
/// - It collects the frames of a batch per thread, so that a member receives one write and one flush for all of them.
/// - It passes control events to the affected sockets.
///
/// The roster is bound to its event loop: every call is on that loop, without a lock.
package final class LoopRoster {
    private let releaseTopics: ([BusTopic], _ seenJoinToken: UInt64) -> Void
    private let noteSent: (ThreadID, SentMark) -> Void
    private let updated: (_ update: UInt64, SnapshotOutcome) -> Void
    private let metrics: FanOutMetrics
    private let tracer: Tracer
    /// The number of delivered batches, which selects the timed ones.
    private var batches: UInt32 = 0
    /// Traced messages of this batch, to be stamped after the flush.
    private var traced: [(message: MessageID, thread: ThreadID)] = []
    private(set) var users: [UserID: LocalUser] = [:]
    private(set) var threads: [ThreadID: ThreadMembers] = [:]
    private var dirty: [ThreadMembers] = []
    private var unflushed: [any RosterMember] = []
    private var seenJoinToken: UInt64 = 0

    /// - Parameters:
    ///   - releaseTopics: Passes topics that this loop no longer wants to the hub.
    ///   - noteSent: Called for each message in a room with a slow mode.
    ///   - updated: Passes the result of applied snapshots to the hub.
    init(
        metrics: FanOutMetrics, tracer: Tracer, noteSent: @escaping (ThreadID, SentMark) -> Void,
        releaseTopics: @escaping ([BusTopic], UInt64) -> Void,
        updated: @escaping (UInt64, SnapshotOutcome) -> Void
    ) {
        self.noteSent = noteSent
        self.updated = updated
        self.metrics = metrics
        self.tracer = tracer
        self.releaseTopics = releaseTopics
    }

    // MARK: Users come and go

    /// Reserves a socket of `user` that is about to be registered.
    ///
    /// - Parameter completion: Called once, when the user is live here, or with an error, which ends the reservation.
    /// - Returns: Whether this is the first reservation. In that case the caller loads the memberships and calls
    ///   `loaded` or `loadFailed`.
    func reserve(_ user: User, completion: @escaping ((any Error)?) -> Void) -> Bool {
        let known = users[user.id]
        let local = known ?? LocalUser(user)
        users[user.id] = local
        local.reservations += 1
        if local.loading == nil { completion(nil) } else { local.loading?.waiting.append(completion) }
        return known == nil
    }

    /// Keeps the threads here until `loaded` or `unpin`.
    func pin(_ memberships: [Membership]) {
        for membership in memberships { members(of: membership.thread.id).pins += 1 }
    }

    func unpin(_ memberships: [Membership]) {
        var unused: [BusTopic] = []
        for thread in memberships.map(\.thread.id) {
            guard let members = threads[thread] else { continue }
            members.pins -= 1
            if members.isUnused {
                threads[thread] = nil
                unused.append(.thread(thread))
            }
        }
        if !unused.isEmpty { releaseTopics(unused, seenJoinToken) }
    }

    /// Completes the loading of a user whose memberships are known, pinned and live.
    func loaded(_ id: UserID, _ snapshot: UserSnapshot) {
        let memberships = snapshot.shownMemberships
        defer { unpin(memberships) }
        guard let user = users[id], let loading = user.loading else { return }
        defer { unpin(loading.changes.compactMap(\.joined)) }
        user.loading = nil
        user.version = snapshot.version
        user.rename(to: loading.displayName ?? snapshot.displayName)
        _ = user.setBlocks(snapshot.blocks)
        for membership in memberships { add(user, to: membership, isStored: true) }
        for change in loading.changes {
            switch change {
            case .joined(let membership):
                add(user, to: membership.notEarlier(than: user.memberships[membership.thread.id]), isStored: false)
            case .removed(let thread): _ = remove(user, from: thread)
            }
        }
        for completion in loading.waiting { completion(nil) }
    }

    /// Ends the loading of a user whose memberships could not be made live.
    func loadFailed(_ id: UserID, _ error: any Error) {
        guard let user = users[id], let loading = user.loading else { return }
        // The waiters are taken first, because a completion may reserve the user again.
        let waiting = loading.waiting
        loading.waiting = []
        user.reservations = 0
        removeIfUnused(user)
        unpin(loading.changes.compactMap(\.joined))
        for completion in waiting { completion(error) }
    }

    /// Cancels a reservation whose `completion` reported that the user is live.
    package func cancelReservation(_ id: UserID) {
        guard let user = users[id], user.reservations > 0 else { return }
        user.reservations -= 1
        removeIfUnused(user)
    }

    /// Registers a reserved socket, which is live from now on.
    /// - Returns: The state of the user; `nil` if there is no reservation, or the user was erased after it was made.
    package func register(_ socket: any RosterMember, of id: UserID) -> LocalUser? {
        guard let user = users[id], user.reservations > 0, user.loading == nil else { return nil }
        user.reservations -= 1
        guard !user.isErased else {
            removeIfUnused(user)
            return nil
        }
        user.sockets.append(socket)
        return user
    }

    package func unregister(_ socket: any RosterMember, of user: LocalUser) {
        user.sockets.remove(socket)
        removeIfUnused(user)
    }

    private func removeIfUnused(_ user: LocalUser) {
        guard user.sockets.isEmpty, user.reservations == 0, users[user.user.id] === user else { return }
        users[user.user.id] = nil
        var unused: [BusTopic] = [.user(user.user.id)]
        for thread in (user.memberships.all + user.leaving).map(\.thread.id) {
            guard let members = threads[thread] else { continue }
            members.remove(user)
            if members.isUnused {
                threads[thread] = nil
                unused.append(.thread(thread))
            }
        }
        releaseTopics(unused, seenJoinToken)
    }

    // MARK: Threads

    private func members(of thread: ThreadID) -> ThreadMembers {
        if let members = threads[thread] { return members }
        let members = ThreadMembers(thread)
        threads[thread] = members
        return members
    }

    private func add(_ user: LocalUser, to membership: Membership, isStored: Bool) {
        let members = members(of: membership.thread.id)
        user.add(members.share(membership), isStored: isStored)
        _ = members.add(user)
        members.begin(at: membership.start, for: user)
    }

    /// - Returns: The former membership; `nil` if there was none.
    func remove(_ user: LocalUser, from thread: ThreadID) -> Membership? {
        guard let membership = user.remove(thread) else { return nil }
        guard let members = threads[thread] else { return membership }
        members.remove(user)
        if members.isUnused {
            threads[thread] = nil
            releaseTopics([.thread(thread)], seenJoinToken)
        }
        return membership
    }

    // MARK: Deliveries

    /// Delivers a batch of the hub, with one write per member and thread and one flush per socket.
    func deliver(_ batch: [LoopDelivery]) {
        batches &+= 1
        let began = FanOutMetrics.isSampled(batches) ? NIODeadline.now() : nil
        for delivery in batch {
            if case .frame(let thread, let frame) = delivery {
                guard let members = threads[thread] else { continue }
                if members.pending.isEmpty { dirty.append(members) }
                if members.isSlow, let sent = frame.sent { noteSent(thread, sent) }
                members.pending.append(frame)
            } else if case .traced(let message, let thread) = delivery {
                traced.append((message, thread))
            } else {
                // The previous frames belong to the members before this change.
                writePending()
                apply(delivery)
            }
        }
        writePending()
        let sockets = unflushed
        unflushed.removeAll(keepingCapacity: true)
        let written = began.map { _ in NIODeadline.now() }
        for socket in sockets { socket.flush() }
        if let began, let written, !sockets.isEmpty {
            metrics.delivered(in: written - began, flushedIn: .now() - written)
        }
        if !traced.isEmpty { stampFlushed() }
    }

    private func stampFlushed() {
        for (message, thread) in traced {
            let sockets = threads[thread]?.users.reduce(0) { $0 + $1.sockets.count } ?? 0
            if sockets > 0 { tracer.stamp(.flushed, message, sockets: sockets) }
        }
        traced = []
    }

    private func apply(_ delivery: LoopDelivery) {
        switch delivery {
        case .frame, .traced:
            break
        case .joined(let id, let membership, let end, let replay, let joinToken):
            seenJoinToken = joinToken
            join(id, membership, after: end, replay)
        case .removed(let id, let thread):
            guard let user = users[id] else { return }
            if user.loading != nil {
                user.loading?.changes.append(.removed(thread))
            } else {
                removeAndNotify(user, from: thread)
            }
        case .leaving(let id, let thread):
            guard let user = users[id] else { return }
            if user.loading != nil {
                // The user has no socket yet that could receive the `left` event.
                user.loading?.changes.append(.removed(thread))
            } else {
                user.beginLeaving(thread)
            }
        case .hasLeft(let id, let thread):
            // A user who reconnected, or was added again, is no longer leaving.
            guard let user = users[id], user.leaving.contains(where: { $0.thread.id == thread }) else { return }
            removeAndNotify(user, from: thread)
        case .snapshots(let snapshots, let update):
            updated(update, take(snapshots))
        case .stored(let thread, let seq, let epoch):
            for user in threads[thread]?.users ?? [] {
                user.sockets.forEach { $0.stored(thread, seq: seq, epoch: epoch) }
            }
        case .renumbered(let thread, let renumbering):
            threads[thread]?.renumbered(to: renumbering.epoch)
            for user in threads[thread]?.users ?? [] { user.sockets.forEach { $0.renumbered(thread, renumbering) } }
        case .available(let thread, let end):
            for user in threads[thread]?.users ?? [] { user.sockets.forEach { $0.available(thread, after: end) } }
        case .reply(let reply):
            reply()
        case .lostTrack(let thread):
            for user in threads[thread]?.users ?? [] { user.sockets.forEach { $0.lostTrack(of: thread) } }
        case .sessionRevoked(let id, let token):
            guard let user = users[id] else { return }
            for socket in user.sockets where socket.sessionToken == token { socket.sessionRevoked() }
        case .erased(let id):
            guard let user = users[id] else { return }
            user.isErased = true
            for socket in user.sockets { socket.sessionRevoked() }
        case .confirm(let thread, let joinToken):
            seenJoinToken = joinToken
            if threads[thread] == nil { releaseTopics([.thread(thread)], seenJoinToken) }
        }
    }

    private func removeAndNotify(_ user: LocalUser, from thread: ThreadID) {
        guard let membership = remove(user, from: thread) else { return }
        user.sockets.forEach { $0.memberRemoved(membership) }
        user.sockets.forEach { $0.membershipsChanged() }
    }

    private func join(_ id: UserID, _ membership: Membership, after end: Position?, _ replay: [SharedFrame]) {
        let thread = membership.thread.id
        // A membership whose start is unknown becomes live by a snapshot.
        guard let user = users[id], membership.start?.isKnown ?? true else {
            if threads[thread] == nil { releaseTopics([.thread(thread)], seenJoinToken) }
            return
        }
        if user.loading != nil {
            user.loading?.changes.append(.joined(membership))
            // Keeps the loop's interest in the thread until `loaded` or `loadFailed`.
            pin([membership])
            return
        }
        let known = user.memberships[thread]
        let membership = membership.notEarlier(than: known)
        // Keeps the loop's interest in the thread.
        pin([membership])
        defer { unpin([membership]) }
        if let known, membership.isLater(than: known) {
            // The user has left and returned, and the first of these was not noticed.
            removeAndNotify(user, from: thread)
        }
        let members = members(of: thread)
        let shared = members.share(membership)
        user.add(shared, isStored: false)
        members.begin(at: membership.start, for: user)
        if let known { notifyLimits(of: user, from: known, to: shared.membership) }
        if members.add(user) {
            user.sockets.forEach { $0.memberAdded(shared.membership, after: end) }
            if !replay.isEmpty { write(replay, to: [user], of: members) }
        }
        user.sockets.forEach { $0.membershipsChanged() }
    }

    private func writePending() {
        for members in dirty {
            let frames = members.pending
            members.pending.removeAll(keepingCapacity: true)
            write(frames, to: members.users, of: members)
        }
        dirty.removeAll(keepingCapacity: true)
    }

    private func write(_ frames: [SharedFrame], to users: [LocalUser], of members: ThreadMembers) {
        var gathered = [FrameBatch?](repeating: nil, count: Encoding.count)
        var (sockets, deliveries) = (0, 0)
        for user in users {
            let start = members.starts[ObjectIdentifier(user)]
            if start != nil || user.hidesTyping(in: frames) {
                let shown = user.shown(start?.shown(frames) ?? frames)
                let (reached, delivered) = write(shown, to: user, in: members.thread)
                (sockets, deliveries) = (sockets + reached, deliveries + delivered)
                continue
            }
            for socket in user.sockets {
                let bytes: FrameBatch
                let encoding = socket.encoding
                if encoding.dialect == .direct, frames.contains(where: { $0.origin == socket.connection }) {
                    // This client shows its own messages without an echo (docs/protocol/sockets.md).
                    bytes = FrameBatch(frames.filter { $0.origin != socket.connection }, encoding)
                } else {
                    bytes = gathered[encoding.index] ?? FrameBatch(frames, encoding)
                    gathered[encoding.index] = bytes
                }
                guard bytes.count > 0 else { continue }
                socket.deliver(bytes, in: members.thread)
                deliveries += bytes.count
                sockets += 1
                unflushed.append(socket)
            }
        }
        metrics.fannedOut(to: sockets, deliveries: deliveries)
    }

    /// Writes frames that are not the same for all members.
    /// - Returns: The number of sockets that were written to, and of deliveries.
    private func write(
        _ frames: [SharedFrame], to user: LocalUser, in thread: ThreadID
    ) -> (sockets: Int, deliveries: Int) {
        var (sockets, deliveries) = (0, 0)
        for socket in user.sockets {
            let bytes = FrameBatch(
                socket.encoding.dialect == .direct ? frames.filter { $0.origin != socket.connection } : frames,
                socket.encoding)
            guard bytes.count > 0 else { continue }
            socket.deliver(bytes, in: thread)
            (sockets, deliveries) = (sockets + 1, deliveries + bytes.count)
            unflushed.append(socket)
        }
        return (sockets, deliveries)
    }
}
