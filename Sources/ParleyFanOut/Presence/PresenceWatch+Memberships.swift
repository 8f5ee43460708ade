import NIOCore
package import ParleyModel

/// Presence ends with the last shared thread, and begins again with the next.
///
/// The node learns of changed memberships from the events `joined` and `left` and from control events, which arrive at
/// once, and from the change feed, which names every changed user and misses none. A change is only a reason to look: the
/// store decides.
extension PresenceWatch {
    /// How long to wait after a failed look-up, in milliseconds.
    private static let pauseAfterFailure: Int64 = 500

    /// The memberships of users may have changed.
    package func membershipsChanged(of users: [UserID]) {
        guard !users.isEmpty else { return }
        loop.execute { [self] in
            for user in users { state.value.table.noteChange(of: user) }
        }
    }

    /// The memberships of any user may have changed.
    package func membershipsChanged() {
        loop.execute { [self] in state.value.table.noteChangeOfAll() }
    }

    /// Whether there is anything for `recheckMemberships` to do; to be called on the event loop.
    var isRecheckDue: Bool { state.value.table.hasChanged && state.value.membershipsAwayUntil <= now }

    /// Looks up whether those whose memberships may have changed still share threads, and shows or hides them.
    package func recheckMemberships() async {
        while let (user, others) = await onLoop({ [self] in
            state.value.membershipsAwayUntil <= now ? state.value.table.takeChanged() : nil
        }) {
            guard !others.isEmpty else { continue }
            do {
                var shared: Set<UserID> = []
                let all = Array(others)
                for start in stride(from: 0, to: all.count, by: settings.batch) {
                    let part = all[start..<min(start + settings.batch, all.count)]
                    shared.formUnion(try await sharesThread(user, Array(part)))
                }
                await settle(user, among: others, shared: shared)
            } catch {
                await onLoop { [self] in retry(user) }
            }
        }
    }

    private func settle(_ user: UserID, among others: Set<UserID>, shared: Set<UserID>) async {
        let missing = await onLoop { [self] in
            let outcome = state.value.table.settle(user, among: others, shared: shared)
            for (deliver, states) in outcome.told { deliver(states) }
            unsubscribe(outcome.unwatched)
            state.value.table.reserve(Set(outcome.missing.values.joined()))
            return outcome.missing
        }
        guard !missing.isEmpty else { return }
        let users = Set(missing.values.joined())
        let result = await subscribeAndRead(users)
        await onLoop { [self] in
            switch result {
            case .success(let states):
                for presence in states { update(presence) }
                for (deliver, states) in state.value.table.show(missing) { deliver(states) }
            case .failure: retry(user)
            }
            unsubscribe(state.value.table.release(users))
        }
    }

    private func retry(_ user: UserID) {
        state.value.table.noteChange(of: user)
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
    /// Whether it reports a change of memberships.
    var isOfMembership: Bool {
        switch self {
        case .added, .removed, .erased: true
        case .sessionRevoked, .changed: false
        }
    }
}
