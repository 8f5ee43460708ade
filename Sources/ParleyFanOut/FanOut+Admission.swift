import NIOCore
package import ParleyModel
package import ParleyWire

/// Users come and go.
extension FanOut {
    /// How often a snapshot is read anew that control events overtake; each of them has the user reloaded anyway.
    private static let refreshAttempts = 3

    /// Makes a user live on a loop, ready for a socket: memberships known, threads subscribed, nothing older than what
    /// `snapshot` reads.
    ///
    /// Afterwards either `LoopRoster.register` or `LoopRoster.cancelReservation` must be called on that loop.
    /// - Parameters:
    ///   - encoding: of the socket; counted until `forget`.
    ///   - snapshot: reads the user from the store and not from a cache; `nil` if there is no such user. The user's
    ///     channel is subscribed before it is called, so that no change is missed in between.
    /// - Returns: what was read.
    /// - Throws: `UnknownUser`; `BusError` if no thread at all is reachable; what `snapshot` throws.
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

    /// A socket of this encoding is gone.
    package func forget(_ encoding: Encoding) {
        onHub { $0.handle { hub, _ in hub.remove(encoding) } }
    }

    private func makeLive(
        _ user: User, on loop: Int, _ snapshot: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        let failure = loops[loop].makePromise(of: (any Error)?.self)
        let isFirst = try await loops[loop].submit { [self] in
            roster(loop).reserve(user) { failure.succeed($0) }
        }.get()
        let loaded = try await isFirst ? load(user, on: loop, snapshot) : nil
        // With a failure the reservation is gone.
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
            // Before the subscription, so that no release of this loop can come behind it.
            try await loops[loop].submit { [self] in roster(loop).pin(read.memberships) }.get()
            pinned = read.memberships
            try await subscribe(to: pinned.map { .thread($0.thread.id) }, on: loop)
            // The last host may have been lost meanwhile.
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

    /// Brings a user who is live already to what the store has now.
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

    /// - Throws: `BusError`, by the same value as `/readyz/sockets`.
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

/// There is no such user, or no more.
package struct UnknownUser: Error, Hashable {
    package let id: UserID
}
