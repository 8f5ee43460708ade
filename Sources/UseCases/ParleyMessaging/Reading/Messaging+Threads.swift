import ParleyAccounts
package import ParleyModel

/// The data of threads and users that a client session reads.
extension Messaging {
    /// Returns a user's access to threads, by the newest memberships.
    package func access(
        of user: UserID, to threads: [ThreadID]
    ) async throws(StoreError) -> [ThreadID: ThreadAccess] {
        if threads.count == 1, let thread = threads.first {
            return [thread: try await access(of: user, to: thread)]
        }
        // One query reads all memberships, since a `resume` may name thousands of threads, and each query waits for its turn.
        let memberships = try await ports.directory.memberships(of: user)
        let known = Dictionary(memberships.map { ($0.thread.id, $0) }, uniquingKeysWith: { first, _ in first })
        var access: [ThreadID: ThreadAccess] = [:]
        for thread in threads { access[thread] = known[thread].map { .member($0) } }
        let others = threads.filter { known[$0] == nil }
        for start in stride(from: 0, to: others.count, by: Self.lookupsAtOnce) {
            let page = others[start..<min(start + Self.lookupsAtOnce, others.count)]
            access.merge(try await nonMemberAccess(of: user, to: page)) { first, _ in first }
        }
        return access
    }

    /// The maximum number of threads that one call looks up together. The directory combines concurrent look-ups.
    private static let lookupsAtOnce = 64

    /// Returns the access to these threads of a user who is not a member of them.
    private func nonMemberAccess(
        of user: UserID, to threads: ArraySlice<ThreadID>
    ) async throws(StoreError) -> [ThreadID: ThreadAccess] {
        let found = await withTaskGroup(of: NonMemberAccess.self) { group in
            for thread in threads { group.addTask { await self.lookUp(thread, for: user) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var access: [ThreadID: ThreadAccess] = [:]
        for one in found { access[one.thread] = try one.result.get() }
        return access
    }

    /// The result of looking up one thread. It is a struct because the optimizer of Swift 6.3 does not correctly copy a tuple
    /// out of a task group, which ends the process.
    private struct NonMemberAccess {
        let thread: ThreadID
        let result: Result<ThreadAccess, StoreError>
    }

    private func lookUp(_ thread: ThreadID, for user: UserID) async -> NonMemberAccess {
        do throws(StoreError) {
            return NonMemberAccess(thread: thread, result: .success(try await nonMemberAccess(of: user, to: thread)))
        } catch {
            return NonMemberAccess(thread: thread, result: .failure(error))
        }
    }

    /// Returns a user's access to one thread, by the newest membership.
    package func access(of user: UserID, to thread: ThreadID) async throws(StoreError) -> ThreadAccess {
        if let membership = try await ports.directory.membership(of: user, in: thread) { return .member(membership) }
        return try await nonMemberAccess(of: user, to: thread)
    }

    /// Returns the access of a user without a membership. Direct threads of others are not looked up. Rooms are looked up each
    /// time, since a cached room could be older than a change of its visibility, and the duration of the reply would then
    /// distinguish a hidden room from an unknown one.
    private func nonMemberAccess(of user: UserID, to thread: ThreadID) async throws(StoreError) -> ThreadAccess {
        if ThreadInfo.isHidden(thread, fromNonMember: user) { return .unknown }
        guard let info = try await ports.directory.thread(thread, fresh: true) else { return .unknown }
        return info.isHidden(fromNonMember: user) ? .unknown : .nonMember
    }

    /// Returns the end of a thread's log, which may be above what this node has delivered; `nil` for a thread without events.
    package func end(of thread: ThreadID) async throws(AppendError) -> Position? {
        try await ports.log.head(of: thread)?.position
    }

    /// Returns events of the log in their current state; see `CurrentLog`.
    package func logged(in thread: ThreadID, after seq: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await current.logged(in: thread, after: seq, limit: limit)
    }

    /// Returns stored events in their current state; see `CurrentLog`.
    package func stored(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> LogPage {
        try await current.stored(in: thread, after: seq, limit: limit)
    }

    /// Returns the receipts whose events are stored, with their positions.
    package func stored(_ receipts: [Receipt]) async throws(StoreError) -> [StoredReceipt] {
        var stored: [StoredReceipt] = []
        // There is one query per thread, so that waiting for a slow store does not slow it down further.
        for (thread, receipts) in Dictionary(grouping: receipts, by: \.thread) {
            let positions = try await ports.store.stored(receipts.map(\.position), in: thread)
            for receipt in receipts {
                if positions.contains(receipt.position) {
                    stored.append(StoredReceipt(receipt, at: receipt.position))
                } else if let position = try await storedElsewhere(receipt) {
                    stored.append(StoredReceipt(receipt, at: position))
                }
            }
        }
        return stored
    }

    /// Returns the position of a message that is stored, but not where the receipt of its repeat says: Redis may remember a
    /// send of an epoch that has ended, whose event was stored at the end of the thread. The first receipt of a send needs no
    /// such query, since its sender is told that its epoch has ended.
    private func storedElsewhere(_ receipt: Receipt) async throws(StoreError) -> Position? {
        guard receipt.isRepeat, let id = receipt.messageID,
            let place = try await ports.store.message(id, in: receipt.thread)
        else { return nil }
        let page = try await ports.store.events(in: receipt.thread, after: place.seq - 1, limit: 1)
        return page.events.first { $0.position.seq == place.seq }?.position
    }

    /// Returns a user's read state in the first `limit` of their threads, newest activity first.
    package func readStates(of user: UserID, limit: Int) async throws(StoreError) -> [ReadState] {
        try await ports.directory.readStates(of: user, limit: limit)
    }

    // MARK: Users

    /// Returns the state of a user, read after this call, or `nil` if the user is unknown or erased.
    package func snapshot(of user: UserID) async throws(StoreError) -> UserSnapshot? {
        try await ports.directory.snapshot(of: user)
    }

    /// Parses a text as a reference to a user by id or name.
    package func reference(_ text: String) -> UserReference { ports.directory.reference(text) }

    /// Returns the user that a reference refers to, or `nil` if there is none.
    package func user(_ reference: UserReference) async throws(StoreError) -> User? {
        try await ports.directory.user(reference)
    }

    /// Whether an API key with this hash is configured or stored.
    package func isAPIKey(_ hash: TokenHash) async throws(StoreError) -> Bool {
        try await ports.directory.apiKey(hash) != nil
    }

    // MARK: Guests

    /// Whether a guest may use a name, because no user has it or a name that people would mistake for it.
    package func isFree(_ name: String, look: NameLook) async throws(StoreError) -> Bool {
        guard try await ports.directory.user(named: name) == nil else { return false }
        return try await !ports.directory.isTaken(look)
    }

    /// Tells the members of a thread that a guest has joined or left.
    package func announce(_ event: EphemeralEvent, in thread: ThreadID) {
        ports.bus.publish(event, in: thread)
    }
}
