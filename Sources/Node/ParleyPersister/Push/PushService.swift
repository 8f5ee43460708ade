package import CoreMetrics
package import Logging
import Metrics
package import ParleyMessaging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// The stores that a sender of pushes reads.
package typealias PushStore = DeviceStore & Directory & EventFeed & EventGroups & MessageStore & NotificationStore
    & ThreadAdministration

/// Notifies the devices of users about messages that they have not seen, from the stream of stored events. Any number of
/// processes may run this service: one at a time has the lease of a group of readers, and another one takes over.
///
/// A message is looked at some seconds after it was stored. A user with a connected client, and one who has read the message, is
/// not notified. A push is sent at most a few times, and none is sent again after a failure of the process.
///
/// The same decisions become events for back ends (`UnseenLog`), where these are asked for.
package final class PushService: Service {
    /// The group of readers whose place it uses.
    package static let group = "parley.push"
    /// The time that the lease lasts, in milliseconds.
    private static let lease: Int64 = 30_000
    /// The age beyond which a message notifies no one, in milliseconds: the service was off for long.
    private static let maximumAge: Int64 = 86_400_000

    let store: any PushStore
    private let worker: String
    private let presence: any PresenceRegistry
    /// `nil` without the key of a push service.
    let sender: (any PushSender)?
    /// `nil` without events for back ends.
    private let unseen: (any UnseenLog)?
    private let delay: Duration
    let clock: WallClock
    let logger: Logger
    let metrics: PushMetrics
    private let sleep: @Sendable (Duration) async throws -> Void
    let queue = Mutex(PushQueue())

    /// - Parameters:
    ///   - worker: The name of this process as a reader.
    ///   - sender: Sends pushes; `nil` without the key of a push service.
    ///   - unseen: Has a row for each decision that a message is unseen; `nil` for none.
    ///   - delay: The time after which a message counts as unseen.
    ///   - sleep: Waits; throws when the task is cancelled.
    package init(
        store: any PushStore, worker: String, presence: any PresenceRegistry, sender: (any PushSender)?,
        unseen: (any UnseenLog)? = nil, delay: Duration,
        clock: WallClock = .system, logger: Logger, metrics factory: any MetricsFactory = MetricsSystem.factory,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.worker = worker
        self.presence = presence
        self.sender = sender
        self.unseen = unseen
        self.delay = delay
        self.clock = clock
        self.logger = logger
        metrics = PushMetrics(factory: factory)
        self.sleep = sleep
    }

    /// Runs until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                let reader = EventGroupReader(worker: "\(worker).\(UInt32.random(in: 0 ... .max))")
                repeat {
                    do throws(StoreError) {
                        try await lead(as: reader, &group)
                    } catch {
                        logger.debug("pushes wait for the database", metadata: ["error": "\(error)"])
                    }
                    // Another process decides about later messages, but what is queued here is sent here.
                    begin(&group)
                } while (try? await sleep(.seconds(2))) != nil
                await release(reader)
                group.cancelAll()
            }
        }
    }
}

// MARK: Reading

extension PushService {
    /// The state of a process that has the lease.
    private struct State {
        let reader: EventGroupReader
        var cursor: EventCursor
        /// The time at which the place was stored, or the lease was extended, in Unix milliseconds.
        var extendedAt: Int64
        var isMoved = false
        /// The newest message of each thread about which a user was notified, so that it can be cleared.
        var notified = NotifiedThreads()
        /// The messages to users whose clients may be gone.
        var held = HeldMessages()
        /// The place to store, where decisions are stored too.
        var trail: TrailingPlace
        var lookedAt: Int64 = 0
    }

    /// Notifies about events as long as this process has the lease.
    private func lead(as reader: EventGroupReader, _ group: inout DiscardingTaskGroup) async throws(StoreError) {
        let end = try await store.endOfEvents()
        let lease = try await store.leaseGroup(Self.group, to: reader, for: Self.lease, beginningAt: end)
        guard case .granted(let place) = lease else { return }
        var state = State(
            reader: reader, cursor: place, extendedAt: clock.milliseconds, trail: TrailingPlace(place))
        while !Task.isCancelled {
            guard let page = try await store.events(after: state.cursor, EventQuery(kinds: [.message])) else {
                // A restored database has other events in these places; what is old notifies no one.
                _ = try await store.moveEventGroup(Self.group, to: end)
                return
            }
            if let last = page.events.last {
                guard try await wait(until: last.milliseconds + delay.milliseconds, &state, &group) else { return }
                try await notify(page.events, &state, &group)
                state.isMoved = true
            }
            state.cursor = page.next
            try await lookAgain(&state, &group)
            begin(&group)
            guard try await keep(&state) else { return }
            if page.isEnd { guard (try? await sleep(.milliseconds(500))) != nil else { return } }
        }
    }

    /// Waits until messages are due, and keeps the lease, which can be shorter than the delay.
    /// - Returns: Whether this process still has the lease.
    private func wait(
        until due: Int64, _ state: inout State, _ group: inout DiscardingTaskGroup
    ) async throws(StoreError) -> Bool {
        var rest = min(max(0, due - clock.milliseconds), delay.milliseconds)
        while rest > 0 {
            let pause = min(rest, 5_000)
            guard (try? await sleep(.milliseconds(pause))) != nil else { return false }
            rest -= pause
            try await lookAgain(&state, &group)
            begin(&group)
            guard try await keep(&state) else { return false }
        }
        return true
    }

    /// Stores the place and extends the lease, if it is time.
    /// - Returns: Whether this process still has the lease.
    private func keep(_ state: inout State) async throws(StoreError) -> Bool {
        let now = clock.milliseconds
        // A clock that was set back does not keep the lease from being extended.
        guard now - state.extendedAt >= (state.isMoved ? 1_000 : 10_000) || now < state.extendedAt else { return true }
        let place = unseen == nil ? state.cursor : state.trail.place(noting: state.cursor, at: now)
        guard try await store.acknowledge(place, of: Self.group, by: state.reader.worker) == .accepted,
            try await store.extendLease(of: Self.group, by: state.reader, for: Self.lease)
        else { return false }
        state.extendedAt = now
        state.isMoved = false
        return true
    }

    /// Ends the lease, so that another process can continue at once. It runs to its end although the task is cancelled.
    private func release(_ reader: EventGroupReader) async {
        await Task { [store] in
            // Otherwise the lease ends by its time.
            _ = try? await store.extendLease(of: Self.group, by: reader, for: 0)
        }.value
    }
}

// MARK: Notifying

extension PushService {
    private func notify(
        _ events: [ParleyModel.LogEvent], _ state: inout State, _ group: inout DiscardingTaskGroup
    ) async throws(StoreError) {
        let now = clock.milliseconds
        let fresh = events.filter { event in
            now - event.milliseconds < Self.maximumAge
                && event.message.map { !$0.isDeleted } == true
        }
        let threads = Dictionary(grouping: fresh, by: \.thread)
        let infos = try await store.threads(Array(threads.keys))
        for (thread, messages) in threads.sorted(by: { $0.key.text < $1.key.text }) {
            guard let info = infos[thread] else { continue }
            var place: UserID?
            repeat {
                let members = try await store.members(of: thread, after: place, limit: PushDevice.mostUsers)
                place = members.count < PushDevice.mostUsers ? nil : members.last?.user.id
                try await notify(members, of: info, about: messages, &state, &group)
            } while place != nil
        }
    }

    private func notify(
        _ members: [Member], of thread: ThreadInfo, about messages: [ParleyModel.LogEvent], _ state: inout State,
        _ group: inout DiscardingTaskGroup
    ) async throws(StoreError) {
        let now = clock.milliseconds
        let devices = try await devicesToNotify(members.map(\.user.id), at: now)
        let users = members.map(\.user).filter { unseen != nil || devices[$0.id] != nil }
        let away = await awayUsers(among: users)
        if let first = messages.map(\.position.seq).min() {
            state.held.hold(thread.id, from: first, for: users.filter { !away.contains($0) }, at: now)
        }
        try await notify(away, devices, of: thread, about: messages, &state, &group)
    }

    private func notify(
        _ away: [User], _ devices: [UserID: [PushDevice]], of thread: ThreadInfo,
        about messages: [ParleyModel.LogEvent], _ state: inout State, _ group: inout DiscardingTaskGroup
    ) async throws(StoreError) {
        guard !away.isEmpty else { return }
        let now = clock.milliseconds
        let ids = away.map(\.id)
        let settings = try await store.notifications(of: ids, in: thread.id)
        let states = try await store.readStates(of: ids, limit: Self.countedThreads)
        let senders = Set(messages.compactMap(\.message?.sender.id))
        let blocks = try await store.blocks(of: ids, against: Array(senders))
        var found: [Unseen] = []
        for user in away {
            guard let reads = states[user.id], let read = reads.first(where: { $0.thread == thread.id }) else {
                continue
            }
            let choice = settings[user.id] ?? .standard
            var decision = PushDecision.notify
            let event = messages.last { event in
                guard let message = event.message, event.position.seq > read.readSeq, message.sender.id != user.id,
                    blocks[user.id]?.contains(message.sender.id) != true
                else { return false }
                decision = PushRule.decide(choice, in: thread.kind, isMention: message.mentions(user), at: now)
                return decision == .notify || decision == .silent(.quietHours)
            }
            guard let event, let message = event.message else { continue }
            let notification = PushNotification(
                .message(message.alert(in: thread, for: user)), thread: thread.id, seq: event.position.seq,
                unread: PushNotification.Unread(reads, of: thread.id), at: now)
            found.append(
                Unseen(user: user.id, position: event.position, notification, isQuiet: decision != .notify))
        }
        for each in try await record(found, in: unseen) where !each.isQuiet {
            guard let devices = devices[each.user] else { continue }
            state.notified.note(each.user, thread.id, each.position.seq)
            send(each.notification, to: devices, &group)
        }
    }

    /// - Returns: No devices without the key of a push service.
    private func devicesToNotify(_ users: [UserID], at now: Int64) async throws(StoreError) -> [UserID: [PushDevice]] {
        guard sender != nil else { return [:] }
        return Dictionary(grouping: try await store.devicesToNotify(users, at: now), by: \.user)
    }
}

extension PushService {
    /// The maximum number of threads whose unread messages are counted for a badge.
    private static let countedThreads = 1_000
    /// The number of events in a page of a thread, and the maximum number of pages: more than 100 events a second for as long as
    /// messages are held.
    private static let (pageSize, maximumPages) = (500, 20)

    /// Returns the users without a connected client. If the registry cannot be asked, all are taken for away: a notification too
    /// many is better than one too few.
    private func awayUsers(among users: [User]) async -> [User] {
        guard !users.isEmpty else { return [] }
        do throws(SharedStoreError) {
            let online = Set(try await presence.states(of: users.map(\.id)).filter(\.isOnline).map(\.user))
            return users.filter { !online.contains($0.id) }
        } catch {
            return users
        }
    }

    /// Looks every two seconds at what has changed since messages were due.
    private func lookAgain(_ state: inout State, _ group: inout DiscardingTaskGroup) async throws(StoreError) {
        let now = clock.milliseconds
        guard now - state.lookedAt >= 2_000 || now < state.lookedAt else { return }
        state.lookedAt = now
        try await notifyDisconnected(&state, &group)
        try await clear(&state, &group)
    }

    /// Notifies users whose client has turned out to be gone.
    private func notifyDisconnected(_ state: inout State, _ group: inout DiscardingTaskGroup) async throws(StoreError) {
        state.held.expire(at: clock.milliseconds)
        for (id, thread) in state.held.threads.sorted(by: { $0.key.text < $1.key.text }) {
            let away = await awayUsers(among: thread.users)
            guard !away.isEmpty, let first = thread.firstSeq else { continue }
            state.held.release(away, in: id)
            // Read again, since a message can be edited or deleted in the meantime.
            let messages = try await messages(in: id, from: first)
            guard !messages.isEmpty, let info = try await store.threads([id])[id] else { continue }
            let devices = try await devicesToNotify(away.map(\.id), at: clock.milliseconds)
            let users = away.filter { unseen != nil || devices[$0.id] != nil }
            try await notify(users, devices, of: info, about: messages, &state, &group)
        }
    }

    /// Returns the messages of a thread that are due, the newest of them last.
    private func messages(
        in thread: ThreadID, from first: Int64
    ) async throws(StoreError) -> [ParleyModel.LogEvent] {
        var (after, messages): (Int64, [ParleyModel.LogEvent]) = (first &- 1, [])
        for _ in 0..<Self.maximumPages {
            let page = try await store.events(in: thread, after: after, limit: Self.pageSize)
            messages = (messages + page.events).suffix(Self.pageSize)
            guard page.hasMore, let last = page.events.last else { break }
            after = last.position.seq
        }
        let due = clock.milliseconds - delay.milliseconds
        return messages.filter { $0.milliseconds <= due && $0.message?.isDeleted == false }
    }

    /// Tells devices to remove notifications of threads that were read on another one.
    private func clear(_ state: inout State, _ group: inout DiscardingTaskGroup) async throws(StoreError) {
        let now = clock.milliseconds
        let users = state.notified.next(PushDevice.mostUsers)
        guard !users.isEmpty else { return }
        let states = try await store.readStates(of: users, limit: Self.countedThreads)
        var cleared: [(UserID, ReadState)] = []
        for user in users {
            for read in states[user] ?? [] where state.notified.isRead(user, read.thread, through: read.readSeq) {
                cleared.append((user, read))
            }
        }
        guard !cleared.isEmpty else { return }
        let devices = try await devicesToNotify(cleared.map(\.0), at: now)
        for (user, read) in cleared {
            let notification = PushNotification(
                .clear, thread: read.thread, seq: read.readSeq,
                unread: PushNotification.Unread(states[user] ?? [], of: read.thread), at: now)
            send(notification, to: devices[user] ?? [], &group)
        }
    }
}

extension PushNotification.Unread {
    fileprivate init(_ states: [ReadState], of thread: ThreadID) {
        self.init(
            thread: Int(clamping: states.first { $0.thread == thread }?.unreadCount ?? 0),
            total: Int(clamping: states.reduce(Int64(0)) { $0 &+ $1.unreadCount }))
    }
}

extension Message {
    /// Whether the text mentions a user or everyone.
    fileprivate func mentions(_ user: User) -> Bool {
        RoomMention.isIn(text) || UserMention.isIn(text, of: user.name)
    }

    /// The message as a device shows it to a user.
    fileprivate func alert(in thread: ThreadInfo, for user: User) -> PushNotification.Alert {
        let isDirect = thread.kind == .direct
        let text = text.isEmpty ? "…" : text
        return PushNotification.Alert(
            id: id, sender: sender.id, senderName: senderDisplayName ?? sender.name, threadKind: thread.kind,
            title: isDirect ? sender.name : thread.title, body: isDirect ? text : "\(sender.name): \(text)",
            isMention: mentions(user))
    }
}
