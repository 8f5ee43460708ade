package import ParleyModel

/// The memberships of one user, by thread.
///
/// Most users are in few threads, and every user here has a table. Up to `few` memberships are an array, which takes a
/// third of a dictionary's memory and is searched as fast.
package struct MembershipTable {
    private enum Storage {
        case few([Membership])
        case many([ThreadID: Membership])
    }

    private static let few = 8

    private var storage = Storage.few([])

    package init() {}

    package var all: [Membership] {
        switch storage {
        case .few(let memberships): memberships
        case .many(let memberships): Array(memberships.values)
        }
    }

    package subscript(thread: ThreadID) -> Membership? {
        switch storage {
        case .few(let memberships): memberships.first { $0.thread.id == thread }
        case .many(let memberships): memberships[thread]
        }
    }

    /// Inserts a membership, in place of one in the same thread.
    package mutating func insert(_ membership: Membership) {
        let thread = membership.thread.id
        switch storage {
        case .few(var memberships):
            if let index = memberships.firstIndex(where: { $0.thread.id == thread }) {
                memberships[index] = membership
                storage = .few(memberships)
            } else if memberships.count < Self.few {
                // Without spare capacity: it seldom changes.
                storage = .few(memberships + [membership])
            } else {
                storage = .many(
                    Dictionary(uniqueKeysWithValues: (memberships + [membership]).map { ($0.thread.id, $0) }))
            }
        case .many(var memberships):
            // Not shared while it changes; otherwise all of it would be copied.
            storage = .few([])
            memberships[thread] = membership
            storage = .many(memberships)
        }
    }

    /// - Returns: the former membership; `nil` if there was none.
    @discardableResult
    package mutating func remove(_ thread: ThreadID) -> Membership? {
        switch storage {
        case .few(var memberships):
            guard let index = memberships.firstIndex(where: { $0.thread.id == thread }) else { return nil }
            let removed = memberships.remove(at: index)
            storage = .few(memberships)
            return removed
        case .many(var memberships):
            storage = .few([])
            let removed = memberships.removeValue(forKey: thread)
            storage = .many(memberships)
            return removed
        }
    }
}
