package import ParleyModel

/// Read marks that wait for their budget, merged. A value type.
///
/// Of the waiting marks of one user and thread, only the last counts, and its result completes all of them. A mark is granted
/// as soon as its user's budget allows, and a user's threads are served in turn. The number of waiting threads of one user is
/// at most the burst of the budget.
package struct ReadMarkScheduler<Completion> {
    /// A user and a thread.
    private struct Reader: Hashable {
        let user: UserID
        let thread: ThreadID
    }

    /// A waiting mark and its completions.
    package struct Entry {
        package let thread: ThreadID
        package let budgets: UserBudgets
        /// The new cursor, which may be lower than the current one; `nil` for the end.
        package fileprivate(set) var seq: Int64?
        /// The time at which the mark was made, in Unix milliseconds. Merged marks have the time of the last one.
        package fileprivate(set) var milliseconds: Int64
        /// Whether members are notified.
        package fileprivate(set) var notifiesMembers: Bool
        package fileprivate(set) var completions: [Completion]

        /// Whether the end of the log is needed.
        var needsEnd: Bool { notifiesMembers || seq != nil }

        package init(
            thread: ThreadID, budgets: UserBudgets, seq: Int64?, madeAt milliseconds: Int64, notifiesMembers: Bool,
            completions: [Completion]
        ) {
            self.thread = thread
            self.budgets = budgets
            self.seq = seq
            self.milliseconds = milliseconds
            self.notifiesMembers = notifiesMembers
            self.completions = completions
        }
    }

    /// The result of `put`.
    package enum Verdict: Hashable, Sendable {
        /// The mark was accepted: it waits for the budget, or was merged with a waiting mark.
        case waits
        /// The mark was rejected, because too many threads of the user are waiting for its budget.
        case refused
    }

    private let limit: Int
    /// The waiting marks, unordered. `held` has the order.
    private var entries: [Reader: Entry] = [:]
    /// The readers that wait for their budget, in order of arrival.
    private var held: [Reader] = []
    /// The number of waiting readers of each user.
    private var heldOf: [UserID: Int] = [:]
    private var granted: [Reader] = []

    /// - Parameter limit: The maximum number of threads of one user that wait for the budget.
    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var hasGranted: Bool { !granted.isEmpty }
    package var hasHeld: Bool { !held.isEmpty }

    /// Adds a mark.
    /// - Parameter grant: Takes one token of the user's budget. Called only if nothing waits for this user and thread.
    package mutating func put(_ entry: Entry, grant: () -> Bool) -> Verdict {
        let reader = Reader(user: entry.budgets.user, thread: entry.thread)
        if entries[reader] != nil {
            entries[reader]?.seq = entry.seq
            entries[reader]?.milliseconds = entry.milliseconds
            if entry.notifiesMembers { entries[reader]?.notifiesMembers = true }
            entries[reader]?.completions += entry.completions
            return .waits
        }
        // Waiting marks of the user take precedence.
        if heldOf[reader.user] == nil, grant() {
            granted.append(reader)
        } else {
            guard heldOf[reader.user, default: 0] < limit else { return .refused }
            heldOf[reader.user, default: 0] += 1
            held.append(reader)
        }
        entries[reader] = entry
        return .waits
    }

    /// Grants the waiting marks that the budgets now allow.
    /// - Parameter grant: Takes one token of the user's budget. Not called again for a user after it returned `false`.
    package mutating func grantHeld(_ grant: (UserBudgets) -> Bool) {
        var refused: Set<UserID> = []
        var stillHeld: [Reader] = []
        for reader in held {
            guard let budgets = entries[reader]?.budgets else { continue }
            guard !refused.contains(reader.user), grant(budgets) else {
                refused.insert(reader.user)
                stillHeld.append(reader)
                continue
            }
            granted.append(reader)
            let left = (heldOf[reader.user] ?? 1) - 1
            heldOf[reader.user] = left > 0 ? left : nil
        }
        held = stillHeld
    }

    /// Removes and returns the granted marks.
    package mutating func takeGranted() -> [Entry] {
        defer { granted = [] }
        return granted.compactMap { entries.removeValue(forKey: $0) }
    }

    /// Removes and returns all marks.
    package mutating func takeAll() -> [Entry] {
        defer { self = ReadMarkScheduler(limit: limit) }
        return Array(entries.values)
    }
}

extension ReadMarkScheduler: Sendable where Completion: Sendable {}
extension ReadMarkScheduler.Entry: Sendable where Completion: Sendable {}
