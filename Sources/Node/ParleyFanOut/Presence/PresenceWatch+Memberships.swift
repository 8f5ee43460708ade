import NIOCore
package import ParleyModel

/// Changes of memberships. Presence ends with the last shared thread, and begins again with the next.
///
/// The node learns of changed memberships from the events `joined` and `left` and from control events, which are
/// immediate, and from the change feed, which names every changed user. A change only triggers a lookup: the store
/// decides.
extension PresenceWatch {
    /// The wait after a failed lookup, in milliseconds.
    private static let pauseAfterFailure: Int64 = 500

    /// Notes that the memberships of users may have changed.
    package func membershipsChanged(of users: [UserID]) {
        guard !users.isEmpty else { return }
        loop.execute { [self] in
            for user in users { state.value.table.noteChange(of: user) }
        }
    }

    /// Notes that the memberships of any user may have changed.
    package func membershipsChanged() {
        loop.execute { [self] in state.value.table.noteChangeOfAll() }
    }

    /// Whether `recheckMemberships` has work to do. Read this property on the event loop.
    var isRecheckDue: Bool { state.value.table.hasChanged && state.value.membershipsAwayUntil <= now }

    /// Looks up whether those whose memberships may have changed still share threads, and shows or hides them.
    ///
    /// After a reset of the change feed that is every user who watches, so they are looked up many at a time.
    package func recheckMemberships() async {
        while let changed = await onLoop({ [self] in takeChanged() }) {
            do {
                await settle(changed, shared: try await sharedThreads(of: changed))
            } catch {
                await onLoop { [self] in retry(changed.keys) }
            }
        }
    }

    /// Takes some of the users whose memberships may have changed, with the others to whom that matters; `nil` if there
    /// are none, or the last look-up has failed just now.
    private func takeChanged() -> [UserID: Set<UserID>]? {
        guard state.value.membershipsAwayUntil <= now else { return nil }
        var changed: [UserID: Set<UserID>] = [:]
        var pairs = 0
        while pairs < settings.pairs, let (user, others) = state.value.table.takeChanged() {
            guard !others.isEmpty else { continue }
            changed[user] = others
            pairs += others.count
        }
        return changed.isEmpty ? nil : changed
    }

    /// A user may have more others than fit into one call.
    private func sharedThreads(of changed: [UserID: Set<UserID>]) async throws -> [UserID: Set<UserID>] {
        var shared: [UserID: Set<UserID>] = [:]
        let pairs = changed.flatMap { user, others in others.map { (user, $0) } }
        for start in stride(from: 0, to: pairs.count, by: settings.pairs) {
            let part = pairs[start..<min(start + settings.pairs, pairs.count)]
            let found = try await peers(part.reduce(into: [:]) { $0[$1.0, default: []].insert($1.1) })
            shared.merge(found) { $0.union($1) }
        }
        return shared
    }

    private func settle(_ changed: [UserID: Set<UserID>], shared: [UserID: Set<UserID>]) async {
        let missing = await onLoop { [self] in
            var missing: [UserID: [ConnectionID: Set<UserID>]] = [:]
            for (user, others) in changed {
                let outcome = state.value.table.settle(user, among: others, shared: shared[user, default: []])
                for (deliver, states) in outcome.told { deliver(states) }
                unsubscribe(outcome.unwatched)
                state.value.table.reserve(Set(outcome.missing.values.joined()))
                if !outcome.missing.isEmpty { missing[user] = outcome.missing }
            }
            return missing
        }
        guard !missing.isEmpty else { return }
        let result = await subscribeAndRead(Set(missing.values.flatMap { $0.values.joined() }))
        await onLoop { [self] in
            if case .success(let states) = result { for presence in states { update(presence) } }
            for (user, missing) in missing {
                switch result {
                case .success: for (deliver, states) in state.value.table.show(missing) { deliver(states) }
                case .failure: retry([user])
                }
                unsubscribe(state.value.table.release(Set(missing.values.joined())))
            }
        }
    }

    private func retry(_ users: some Sequence<UserID>) {
        for user in users { state.value.table.noteChange(of: user) }
        state.value.membershipsAwayUntil = now + Self.pauseAfterFailure
    }
}

extension LogEvent {
    /// The user whose membership the event reports.
    var member: UserID? {
        switch body {
        case .joined(let user, _), .left(let user, _): user.id
        default: nil
        }
    }
}

extension ControlEvent {
    /// Whether the event reports a change of memberships.
    var isOfMembership: Bool {
        switch self {
        case .added, .removed, .erased: true
        case .sessionRevoked, .changed: false
        }
    }
}
