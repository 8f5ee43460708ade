import NIOCore
package import ParleyModel
package import ParleyWire

/// Admission of users.
extension FanOut {
    /// The maximum number of times that a snapshot is read again because control events arrived during the read. Each
    /// of these events reloads the user anyway.
    private static let refreshAttempts = 3

    /// Makes a user live on a loop, ready for a socket: memberships are known, threads are subscribed, and no state is
    /// older than the read of `snapshot`.
    ///
    /// Afterwards the caller must call either `LoopRoster.register` or `LoopRoster.cancelReservation` on that loop.
    /// - Parameters:
    ///   - encoding: The encoding of the socket; counted until `forget`.
    ///   - snapshot: Reads the user from the store, not from a cache; `nil` if the user does not exist. The user's
    ///     channel is subscribed before the call, so that no change is missed.
    /// - Returns: The snapshot.
    /// - Throws: `UnknownUser`; `BusError` if no thread at all is reachable; any error of `snapshot`.
    package func admit(
        _ user: User, on loop: Int, encoding: Encoding,
        snapshot: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        try requireReach()
        try await home.submit { [self] in hub.value?.handle { hub, _ in hub.add(encoding) } }.get()
        do {
            return try await makeLive(user, on: loop, snapshot)
        } catch {
            forget(encoding)
            throw error
        }
    }

    /// Notes that a socket of this encoding was closed.
    package func forget(_ encoding: Encoding) {
        handle { hub, _, _ in hub.remove(encoding) }
    }

    private func makeLive(
        _ user: User, on loop: Int, _ snapshot: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        let failure = loops[loop].makePromise(of: (any Error)?.self)
        let isFirst = try await loops[loop].submit { [self] in
            roster(loop).reserve(user) { failure.succeed($0) }
        }.get()
        let loaded = try await isFirst ? load(user, on: loop, snapshot) : nil
        // A failure ends the reservation.
        if let error = try await failure.futureResult.get() { throw error }
        if let loaded { return loaded }
        do {
            return try await refresh(user.id, snapshot)
        } catch {
            loops[loop].execute { [self] in roster(loop).cancelReservation(user.id) }
            throw error
        }
    }

    private func load(
        _ user: User, on loop: Int, _ snapshot: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        var pinned: [Membership] = []
        do {
            try await subscribe(to: [.user(user.id)], on: loop)
            guard let read = try await snapshot(user.id) else { throw UnknownUser(id: user.id) }
            // Pinning precedes the subscription, so that a release by this loop cannot follow the subscription.
            // A membership whose log begins with an event that is not stored yet becomes live later.
            try await loops[loop].submit { [self] in roster(loop).pin(read.shownMemberships) }.get()
            pinned = read.shownMemberships
            try await subscribe(to: pinned.map { .thread($0.thread.id) }, on: loop)
            // The last host may have become unavailable in the meantime.
            try requireReach()
            try await loops[loop].submit { [self] in roster(loop).loaded(user.id, read) }.get()
            return read
        } catch {
            let pinned = pinned
            loops[loop].execute { [self] in
                roster(loop).loadFailed(user.id, error)
                roster(loop).unpin(pinned)
            }
            throw error
        }
    }

    /// Brings a live user up to date with the store.
    private func refresh(
        _ user: UserID, _ read: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        var attempts = 0
        while true {
            attempts += 1
            let mark = await present(among: []).mark
            guard let snapshot = try await read(user) else { throw UnknownUser(id: user) }
            let rest = await update(to: [snapshot], readAfter: mark, waiting: true)
            // The bus subscribes a thread of an unavailable host when it reconnects to that host.
            guard rest.unreadable.isEmpty || bus.reach == .some else {
                throw BusError.unavailable("a thread's log cannot be read")
            }
            if rest.changed.isEmpty || attempts == Self.refreshAttempts { return snapshot }
        }
    }

    /// - Throws: `BusError`, decided by the same value as `/readyz/sockets`.
    private func requireReach() throws(BusError) {
        if bus.reach == .none { throw .unavailable("no thread is reachable") }
    }

    private func subscribe(to topics: [BusTopic], on loop: Int) async throws {
        let isLive = home.makePromise(of: Void.self)
        onHub { driver in
            driver.subscribe(to: topics, for: loop) { failure in
                if let failure { isLive.fail(failure) } else { isLive.succeed() }
            }
        }
        try await isLive.futureResult.get()
    }
}

/// The user does not exist, or was erased.
package struct UnknownUser: Error, Hashable {
    package let id: UserID
}
