package import ParleyModel
package import ParleyStorage

extension PostgresStore {
    package func links(of thread: ThreadID, at now: Int64) async throws(StoreError) -> [RoomLink] {
        try await rows(.list, LinkQueries.ofThread(.text(thread.text))).filter { $0.isInForce(at: now) }
    }

    package func linkedRoom(_ code: TokenHash, for user: UserID) async throws(StoreError) -> LinkedRoom? {
        try await rows(.list, LinkQueries.room(.text(code.text), .text(user.text))).first
    }
}

extension StateTransaction {
    package func links(of thread: ThreadID) throws -> [RoomLink] {
        var pipeline = Pipeline()
        let links = pipeline.add(LinkQueries.ofThread(.text(thread.text)))
        return try connection.run(pipeline).all(links)
    }

    /// Reads the link again under the thread's lock, which orders the uses of a link.
    package func link(_ code: TokenHash, for user: UserID) throws -> LinkFacts? {
        let hash = Parameter.text(code.text)
        var pipeline = Pipeline(Statement.begin())
        let thread = pipeline.add(LinkQueries.threadOfCode(hash))
        guard let thread = try connection.run(pipeline).first(thread) else { return nil }
        let (id, member) = (Parameter.text(thread.text), Parameter.text(user.text))
        pipeline = Pipeline(Locks.stateOfThread(id))
        let link = pipeline.add(LinkQueries.ofCode(hash))
        let roles = pipeline.add(StateQueries.roles(id, member, member))
        let held = pipeline.add(StateQueries.holdUser(member))
        let replies = try connection.run(pipeline)
        guard let link = try replies.first(link), let roles = try replies.first(roles) else { return nil }
        return LinkFacts(link: link, member: MemberFacts(roles: roles, isSubjectPresent: replies.count(held) == 1))
    }
}
