package import ParleyModel

/// A membership that the users of an event loop share. The members of a room differ only by their roles and
/// mutes.
package final class SharedMembership: Sendable {
    package let membership: Membership

    package init(_ membership: Membership) {
        self.membership = membership
    }

    var thread: ThreadID { membership.thread.id }
}

/// The memberships of one user, by thread.
///
/// Most users are in few threads, and every user on this node has a table. One membership needs no array. Up to `few`
/// memberships form an array, which takes a third of a dictionary's memory and is searched as fast.
package struct MembershipTable {
    private enum Storage {
        case one(SharedMembership)
        /// No memberships, or several.
        case few([SharedMembership])
        case many([ThreadID: SharedMembership])
    }

    private static let few = 8

    private var storage = Storage.few([])

    package init() {}

    package var all: [Membership] {
        switch storage {
        case .one(let shared): [shared.membership]
        case .few(let memberships): memberships.map(\.membership)
        case .many(let memberships): memberships.values.map(\.membership)
        }
    }

    package subscript(thread: ThreadID) -> Membership? {
        switch storage {
        case .one(let shared): shared.thread == thread ? shared.membership : nil
        case .few(let memberships): memberships.first { $0.thread == thread }?.membership
        case .many(let memberships): memberships[thread]?.membership
        }
    }

    /// Inserts a membership, and replaces one in the same thread.
    package mutating func insert(_ shared: SharedMembership) {
        switch storage {
        case .one(let known):
            storage = known.thread == shared.thread ? .one(shared) : .few([known, shared])
        case .few(var memberships):
            if let index = memberships.firstIndex(where: { $0.thread == shared.thread }) {
                memberships[index] = shared
                storage = .few(memberships)
            } else if memberships.isEmpty {
                storage = .one(shared)
            } else if memberships.count < Self.few {
                // The array has no spare capacity, because it seldom changes.
                storage = .few(memberships + [shared])
            } else {
                storage = .many(Dictionary(uniqueKeysWithValues: (memberships + [shared]).map { ($0.thread, $0) }))
            }
        case .many(var memberships):
            // The value is unique while it changes; otherwise it would be copied.
            storage = .few([])
            memberships[shared.thread] = shared
            storage = .many(memberships)
        }
    }

    /// - Returns: The former membership; `nil` if there was none.
    @discardableResult
    package mutating func remove(_ thread: ThreadID) -> Membership? {
        switch storage {
        case .one(let known):
            guard known.thread == thread else { return nil }
            storage = .few([])
            return known.membership
        case .few(var memberships):
            guard let index = memberships.firstIndex(where: { $0.thread == thread }) else { return nil }
            let removed = memberships.remove(at: index)
            storage = .few(memberships)
            return removed.membership
        case .many(var memberships):
            storage = .few([])
            let removed = memberships.removeValue(forKey: thread)
            storage = .many(memberships)
            return removed?.membership
        }
    }
}
