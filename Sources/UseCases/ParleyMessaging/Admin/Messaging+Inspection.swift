import ParleyAccounts
package import ParleyModel

/// The data of a user that operators see.
package struct UserInspection: Sendable {
    package let profile: Profile?
    /// Newest activity first.
    package let threads: ListPage<ThreadSummary>
}

/// The data of a thread that operators see.
package struct ThreadInspection: Sendable {
    /// The end of the log, or of what is stored while the log is unavailable.
    package let head: ThreadHead?
    /// The end of what is stored.
    package let stored: ThreadHead?
    package let members: ListPage<Member>
}

/// Look-ups by operators, in any thread.
extension Messaging {
    /// - Parameter limit: maximum number of threads.
    package func inspect(
        _ user: User, limit: Int, for _: Operator
    ) async throws(MessagingError) -> UserInspection {
        UserInspection(
            profile: try await profile(of: user), threads: try await threads(of: user, after: nil, limit: limit))
    }

    /// - Parameters:
    ///   - user: lists the members after this one.
    ///   - limit: maximum number of members.
    package func inspect(
        _ thread: ThreadInfo, membersAfter user: UserID?, limit: Int, for _: Operator
    ) async throws(MessagingError) -> ThreadInspection {
        // The heads in Redis are newer than the stored ones, which are used while Redis is unavailable.
        let head = try? await ports.log.head(of: thread.id)
        let stored = try await read { try await ports.store.head(of: thread.id) }
        return ThreadInspection(
            head: head ?? stored, stored: stored,
            members: try await members(of: thread.id, after: user, limit: limit))
    }

    /// Users and rooms with this id, or whose name begins with the text. `id:…` and `name:…` find users only by one of
    /// the two.
    /// - Parameter limit: maximum number of each.
    package func find(
        _ text: String, limit: Int, for _: Operator
    ) async throws(MessagingError) -> (users: [User], rooms: [ThreadInfo]) {
        let reference = reference(text)
        // Listed by either, each with its id and name, so that no user is mistaken for another.
        let isBare = !text.contains(":")
        let prefix = isBare ? text : reference.name
        return try await read {
            var users: [User] = []
            if let prefix { users = try await ports.accounts.users(prefix: prefix, limit: limit) }
            if let id = reference.id, let user = try await ports.directory.user(id) {
                users.removeAll { $0 == user }
                users.insert(user, at: 0)
            }
            var rooms = try await ports.accounts.threads(prefix: text, limit: limit)
            if let id = ThreadID(text), let thread = try await ports.directory.thread(id), !rooms.contains(thread) {
                rooms.insert(thread, at: 0)
            }
            return (Array(users.prefix(limit)), Array(rooms.prefix(limit)))
        }
    }

    /// - Throws: `notFound`.
    package func thread(_ id: ThreadID, for _: Operator) async throws(MessagingError) -> ThreadInfo {
        try await knownThread(id)
    }

    /// The threads that exist. A thread that cannot be looked up is missing.
    package func known(_ ids: [ThreadID], for _: Operator) async -> [ThreadID: ThreadInfo] {
        let directory = ports.directory
        // Concurrently, so that they share one query.
        return await withTaskGroup(of: ThreadInfo?.self) { group in
            for id in ids { group.addTask { try? await directory.thread(id) } }
            return await group.reduce(into: [:]) { known, info in
                if let info { known[info.id] = info }
            }
        }
    }
}
