import ParleyAccounts
import ParleyModel

/// Makes a user a member of a room: in the store, then in the thread's log, then on the user's live sockets.
///
/// The three steps are no one transaction. If the log is away after the first, the call fails with `unavailable`, and a
/// repeat of it does what is missing: the event is appended if this process knows that it is missing
/// (`PendingJoins`), or if the log can be seen back to its beginning and does not have it. Where neither is known — a
/// process died between the steps, and the thread has had more events since than the log remembers — the membership
/// stays without its event; it is never appended twice for that. Calls of one user take turns, so a repeat that comes
/// while the first is under way finds what that one did, and no answer is sent before the sockets were told.
struct RoomJoiner: Sendable {
    /// How far back the log is searched, in events: what it remembers of a thread by default.
    private static let window = 200
    /// The most calls of one user that wait for each other.
    private static let maximumWaiting = 4096
    /// The most joins remembered as incomplete.
    private static let maximumPending = 10_000

    private let accounts: any AccountStore
    private let log: any MessageLog
    private let bus: any ThreadBus
    private let directory: BatchedDirectory
    private let clock: WallClock
    private let turns = Turns<UserID>(limit: maximumWaiting)
    private let pending = PendingJoins(limit: maximumPending)

    init(
        accounts: any AccountStore, log: any MessageLog, bus: any ThreadBus, directory: BatchedDirectory,
        clock: WallClock
    ) {
        self.accounts = accounts
        self.log = log
        self.bus = bus
        self.directory = directory
        self.clock = clock
    }

    init(_ services: RESTServices) {
        self.init(
            accounts: services.accounts, log: services.log, bus: services.bus, directory: services.directory,
            clock: services.clock)
    }

    /// - Returns: the membership of the room of this title; the room is made now if there was none.
    func join(_ user: User, roomTitled title: RoomTitle) async throws(APIError) -> JoinedRoom {
        guard await turns.take(user.id) else { throw .rateLimited(retryAfterSeconds: 1) }
        do {
            let room = try await joinInTurn(user, title)
            await turns.give(user.id)
            return room
        } catch {
            await turns.give(user.id)
            throw APIError(error)
        }
    }

    private func joinInTurn(_ user: User, _ title: RoomTitle) async throws -> JoinedRoom {
        let joined = try await accounts.joinRoom(
            titled: title.text, user: user.id, newID: ThreadID(UUIDv7(clock)), at: clock.milliseconds)
        let room = joined.membership.thread
        let join = PendingJoins.Join(user: user.id, thread: room.id)
        if !joined.isNewMember {
            guard try await isMissing(join) else { return joined }
        }
        pending.insert(join)
        let receipt = try await log.append(EventDraft(thread: room.id, body: .joined(user)))
        pending.remove(join)
        let added = ControlEvent.added(joined.membership, after: receipt.position.seq)
        directory.invalidate(added, of: user.id)
        bus.publish(added, to: user.id)
        return joined
    }

    /// Whether the log lacks the event of a member, as far as can be known.
    private func isMissing(_ join: PendingJoins.Join) async throws -> Bool {
        if pending.contains(join) { return true }
        guard let head = try await log.head(of: join.thread) else { return true }
        guard head.position.seq <= Self.window else { return false }
        let slice = try await log.events(in: join.thread, after: 0, limit: Self.window)
        guard !slice.isTruncated else { return false }
        // Who has left since must join once more, even if the store has not seen them go yet.
        for event in slice.events.reversed() {
            switch event.body {
            case .joined(let user, _) where user.id == join.user: return false
            case .left(let user, _) where user.id == join.user: return true
            default: continue
            }
        }
        return true
    }
}
