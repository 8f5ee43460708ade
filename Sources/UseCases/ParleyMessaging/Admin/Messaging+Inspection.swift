import ParleyAccounts
package import ParleyModel

/// The data of a user that operators can see.
package struct UserInspection: Sendable {
    package let profile: Profile?
    /// The user's threads, newest activity first.
    package let threads: ListPage<ThreadSummary>
    /// The suspension in force; `nil` for none.
    package let suspension: Suspension?
    /// Whether the user has been granted operator rights, whatever the name.
    package let isOperator: Bool
}

/// The data of a thread that operators can see.
package struct ThreadInspection: Sendable {
    /// The end of the log, or of the stored log while the log is unavailable.
    package let head: ThreadHead?
    /// The end of the stored log.
    package let stored: ThreadHead?
    package let members: ListPage<Member>
}

/// Look-ups by operators, in any thread.
extension Messaging {
    /// - Parameter limit: The maximum number of threads.
    package func inspect(
        _ user: User, limit: Int, for _: Operator
    ) async throws(MessagingError) -> UserInspection {
        let account = try await read { try await ports.directory.account(user.id, fresh: true) }
        let status = try await read { try await ports.accounts.operatorStatus(of: user.id) }
        let suspension = account?.suspension.flatMap { $0.isInForce(at: clock.milliseconds) ? $0 : nil }
        return UserInspection(
            profile: try await profile(of: user), threads: try await threads(of: user, after: nil, limit: limit),
            suspension: suspension, isOperator: status?.isGranted == true)
    }

    /// - Parameters:
    ///   - user: The user after whom the list of members begins.
    ///   - limit: The maximum number of members.
    package func inspect(
        _ thread: ThreadInfo, membersAfter user: UserID?, limit: Int, for _: Operator
    ) async throws(MessagingError) -> ThreadInspection {
        // The heads in Redis are newer than the stored ones, which serve as a fallback while Redis is unavailable.
        let head = try? await ports.log.head(of: thread.id)
        let stored = try await read { try await ports.store.head(of: thread.id) }
        return ThreadInspection(
            head: head ?? stored, stored: stored,
            members: try await members(of: thread.id, after: user, limit: limit))
    }

    /// Returns users and rooms with this id, or whose name begins with the text. `id:…` and `name:…` find users by only one of the two.
    /// - Parameter limit: The maximum number of users, and of rooms.
    package func find(
        _ text: String, limit: Int, for _: Operator
    ) async throws(MessagingError) -> (users: [User], rooms: [ThreadInfo]) {
        let reference = reference(text)
        // Matches by id and by name are both listed, each with its id and name, so that no user is mistaken for another.
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

    /// Returns the threads that exist. A thread whose look-up fails is missing.
    package func known(_ ids: [ThreadID], for _: Operator) async -> [ThreadID: ThreadInfo] {
        let directory = ports.directory
        // The look-ups run concurrently, so that they share one query.
        return await withTaskGroup(of: ThreadInfo?.self) { group in
            for id in ids { group.addTask { try? await directory.thread(id) } }
            return await group.reduce(into: [:]) { known, info in
                if let info { known[info.id] = info }
            }
        }
    }
}
