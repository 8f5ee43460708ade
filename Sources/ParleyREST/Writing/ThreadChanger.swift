import ParleyAccounts
import ParleyModel

/// Changes threads and their members: in the store at once, in the thread's log, and on the users' live sockets.
///
/// The steps are no one transaction. What ends a membership goes into the log first: the persister ends it too, so that
/// a process that dies in between leaves nothing undone. What begins or changes something is tried in the store first,
/// where titles are unique, and taken back if the log does not accept it.
struct ThreadChanger: Sendable {
    /// Members read at a time when a thread ends.
    private static let membersAtOnce = 1000

    private let accounts: any AccountStore
    private let log: any MessageLog
    private let bus: any ThreadBus
    private let directory: BatchedDirectory
    private let clock: WallClock

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

    // MARK: Members

    /// Makes a user a member of a room, or gives a member another role.
    /// - Parameters:
    ///   - role: `nil`: as it is, a newcomer becomes a `member`.
    ///   - asker: who does it; `nil`: the user.
    /// - Returns: the role that the user has, and whether the membership is new.
    func put(
        _ user: User, in thread: ThreadInfo, as role: Membership.Role?, by asker: Membership?, _ askerID: UserID
    ) async throws -> (role: Membership.Role, isNew: Bool) {
        let present = try await directory.memberships(of: user.id, fresh: true).first { $0.thread.id == thread.id }
        if let present, role == nil || role == present.role { return (present.role, false) }
        if let asker {
            let flaw = ThreadRights.flaw(giving: role ?? .member, insteadOf: present?.role, as: asker)
            if let flaw { throw flaw }
        }
        if let present, let role {
            try await change(user, in: thread, from: present.role, to: role, by: askerID)
            return (role, false)
        }
        return try await add(user, to: thread, as: role ?? .member, by: askerID)
    }

    private func add(
        _ user: User, to thread: ThreadInfo, as role: Membership.Role, by asker: UserID
    ) async throws -> (role: Membership.Role, isNew: Bool) {
        let outcome = try await accounts.importRecords(
            [.member(thread: thread.id, user: user.id.text, role: role)], at: clock.milliseconds)
        switch outcome.first {
        case .joined(_, let membership, _):
            do {
                var receipt = try await log.append(
                    EventDraft(thread: thread.id, body: .joined(user, by: asker == user.id ? nil : asker)))
                if role != .member {
                    receipt = try await log.append(
                        EventDraft(thread: thread.id, body: .role(user.id, role, by: asker)))
                }
                tell(.added(membership, after: receipt.position.seq), user.id)
            } catch {
                _ = try? await accounts.removeMember(user.id, from: thread.id)
                throw error
            }
            return (role, true)
        case .unchanged: return (role, false)
        case .refused(.directThread): throw RightsFlaw.directThread
        case .refused(.otherRole): throw APIError(.conflict, "the user has just become a member with another role")
        case .refused(.unknownThread): throw RESTServices.unknownThread
        default: throw APIError(.notFound, "no such user")
        }
    }

    private func change(
        _ user: User, in thread: ThreadInfo, from old: Membership.Role, to role: Membership.Role, by asker: UserID
    ) async throws {
        guard try await accounts.setRole(role, of: user.id, in: thread.id) else { return }
        do {
            let receipt = try await log.append(EventDraft(thread: thread.id, body: .role(user.id, role, by: asker)))
            tell(.added(Membership(thread: thread, role: role), after: receipt.position.seq), user.id)
        } catch {
            _ = try? await accounts.setRole(old, of: user.id, in: thread.id)
            throw error
        }
    }

    /// Ends a membership.
    /// - Parameter asker: who does it.
    /// - Returns: where the log says so.
    @discardableResult
    func remove(_ user: User, from asker: Membership, by askerID: UserID) async throws -> Receipt {
        let thread = asker.thread.id
        if user.id != askerID {
            let present = try await directory.memberships(of: user.id, fresh: true).first { $0.thread.id == thread }
            guard let present else { throw APIError(.notFound, "the user is no member of this thread") }
            if let flaw = ThreadRights.flaw(removing: present.role, as: asker) { throw flaw }
        }
        return try await end(user, in: thread, by: askerID)
    }

    /// Ends a membership, whoever may.
    func remove(_ user: User, from thread: ThreadInfo, by askerID: UserID) async throws {
        let memberships = try await directory.memberships(of: user.id, fresh: true)
        guard memberships.contains(where: { $0.thread.id == thread.id }) else {
            throw APIError(.notFound, "the user is no member of this thread")
        }
        try await end(user, in: thread.id, by: askerID)
    }

    @discardableResult
    private func end(_ user: User, in thread: ThreadID, by askerID: UserID) async throws -> Receipt {
        let receipt = try await log.append(EventDraft(thread: thread, body: .left(user, by: askerID)))
        _ = try await accounts.removeMember(user.id, from: thread)
        tell(.removed(thread), user.id)
        return receipt
    }

    // MARK: Threads

    /// Opens the direct thread of two users.
    /// - Returns: its id, and whether it is new to the first of them.
    func openDirect(_ user: User, with other: User) async throws -> (thread: ThreadID, isNew: Bool) {
        let id = ThreadInfo.directID(user.id, other.id)
        let wasIn = try await directory.memberships(of: other.id, fresh: true).contains { $0.thread.id == id }
        guard let isNew = try await accounts.openDirect(id, of: user.id, with: other.id, at: clock.milliseconds) else {
            throw APIError(.notFound, "no such user")
        }
        let after = try await log.head(of: id)?.position.seq ?? 0
        func tellOf(_ one: User, _ peer: User) {
            let info = ThreadInfo(id: id, kind: .direct, title: peer.name)
            tell(.added(Membership(thread: info, role: .member, peer: peer), after: after), one.id)
        }
        if isNew { tellOf(user, other) }
        if !wasIn, user.id != other.id { tellOf(other, user) }
        return (id, isNew)
    }

    /// Gives a room another title; the same one again does nothing.
    func rename(_ membership: Membership, to title: RoomTitle, by user: User) async throws {
        let thread = membership.thread
        if let flaw = ThreadRights.flaw(changingAs: membership) { throw flaw }
        guard !thread.title.utf8.elementsEqual(title.text.utf8) else { return }
        do {
            guard try await accounts.rename(thread.id, to: title.text) else { throw RESTServices.unknownThread }
        } catch StoreError.taken {
            throw APIError(.conflict, "another room has this title")
        }
        defer {
            directory.forget(thread: thread)
            directory.forget(thread: ThreadInfo(id: thread.id, kind: thread.kind, title: title.text))
        }
        do {
            _ = try await log.append(
                EventDraft(thread: thread.id, body: .renamed(title: title.text, by: user.id)))
        } catch {
            _ = try? await accounts.rename(thread.id, to: thread.title)
            throw error
        }
    }

    /// Deletes a thread with its history. Nothing of it remains but what its members have already.
    func delete(_ membership: Membership) async throws {
        let thread = membership.thread
        if let flaw = ThreadRights.flaw(changingAs: membership) { throw flaw }
        var (users, page): ([UserID], [Member]) = ([], [])
        repeat {
            page = try await accounts.members(of: thread.id, after: users.last, limit: Self.membersAtOnce)
            users += page.map(\.user.id)
        } while page.count == Self.membersAtOnce
        _ = try await accounts.deleteThread(thread.id)
        directory.forget(thread: thread)
        for user in users { tell(.removed(thread.id), user) }
    }

    /// What was known of the user is void here, and where they have sockets.
    private func tell(_ event: ControlEvent, _ user: UserID) {
        directory.invalidate(event, of: user)
        bus.publish(event, to: user)
    }
}
