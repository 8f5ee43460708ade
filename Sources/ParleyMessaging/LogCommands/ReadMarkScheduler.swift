package import ParleyModel

/// Read marks on their way to be kept, merged; a value.
///
/// Of the marks of one user and thread that wait, only the last counts, and it answers for all of them. A mark goes on
/// as soon as its user's budget grants it; the threads of a user take turns. Bounded: of one user as many threads may
/// wait for the budget as it grants at once.
package struct ReadMarkScheduler<Completion> {
    /// A user and a thread.
    private struct Reader: Hashable {
        let user: UserID
        let thread: ThreadID
    }

    /// A mark that waits, and whom to tell.
    package struct Entry {
        package let thread: ThreadID
        package let budgets: UserBudgets
        /// Up to where, back too; `nil`: to the end.
        package fileprivate(set) var seq: Int64?
        /// When it was made, Unix milliseconds; of several that were merged the last.
        package fileprivate(set) var milliseconds: Int64
        /// The members are told.
        package fileprivate(set) var isTold: Bool
        package fileprivate(set) var completions: [Completion]

        /// Whether one must know where the log ends.
        var needsEnd: Bool { isTold || seq != nil }

        package init(
            thread: ThreadID, budgets: UserBudgets, seq: Int64?, madeAt milliseconds: Int64, isTold: Bool,
            completions: [Completion]
        ) {
            self.thread = thread
            self.budgets = budgets
            self.seq = seq
            self.milliseconds = milliseconds
            self.isTold = isTold
            self.completions = completions
        }
    }

    /// What becomes of a mark.
    package enum Verdict: Hashable, Sendable {
        /// It waits, with others of the same user and thread or until the budget grants it.
        case waits
        /// Too many threads of the user wait for its budget.
        case refused
    }

    private let limit: Int
    /// In no order; `held` has it.
    private var entries: [Reader: Entry] = [:]
    /// What the budget has not granted, in the order of arrival.
    private var held: [Reader] = []
    /// How many of `held` each user has.
    private var heldOf: [UserID: Int] = [:]
    private var granted: [Reader] = []

    /// - Parameter limit: the most threads of one user that wait for the budget.
    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var hasGranted: Bool { !granted.isEmpty }
    package var hasHeld: Bool { !held.isEmpty }

    /// Takes a mark in.
    /// - Parameter grant: takes one of the user's budget; asked only if nothing of the user and thread waits.
    package mutating func put(_ entry: Entry, grant: () -> Bool) -> Verdict {
        let reader = Reader(user: entry.budgets.user, thread: entry.thread)
        if entries[reader] != nil {
            entries[reader]?.seq = entry.seq
            entries[reader]?.milliseconds = entry.milliseconds
            if entry.isTold { entries[reader]?.isTold = true }
            entries[reader]?.completions += entry.completions
            return .waits
        }
        // What waits of the user goes first.
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

    /// Grants what the budgets allow by now.
    /// - Parameter grant: takes one of the user's budget; not asked again of a user whom it has refused.
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

    /// What has been granted, which waits no more.
    package mutating func takeGranted() -> [Entry] {
        defer { granted = [] }
        return granted.compactMap { entries.removeValue(forKey: $0) }
    }

    /// Everything that waits, which waits no more.
    package mutating func takeAll() -> [Entry] {
        defer { self = ReadMarkScheduler(limit: limit) }
        return Array(entries.values)
    }
}

extension ReadMarkScheduler: Sendable where Completion: Sendable {}
extension ReadMarkScheduler.Entry: Sendable where Completion: Sendable {}
