import GRDB
package import ParleyModel
package import ParleyStorage

extension SQLiteStore {
    package func links(of thread: ThreadID, at now: Int64) async throws(StoreError) -> [RoomLink] {
        try await read(.reading) { db in
            try db.all(LinkQueries.ofThread, [thread.text]) { $0.link(0) }.filter { $0.isInForce(at: now) }
        }
    }

    package func linkedRoom(_ code: TokenHash, for user: UserID) async throws(StoreError) -> LinkedRoom? {
        try await read(.reading) { db in
            try db.all(LinkQueries.room, [code.text, user.text]) { row in
                LinkedRoom(link: row.link(0), thread: try row.threadInfo(6), members: row[10], isMember: row[11])
            }.first
        }
    }
}

extension StateTransaction {
    package func links(of thread: ThreadID) throws -> [RoomLink] {
        try db.all(LinkQueries.ofThread, [thread.text]) { $0.link(0) }
    }

    package func link(_ code: TokenHash, for user: UserID) throws -> LinkFacts? {
        let found = try db.all(LinkQueries.ofCode, [code.text]) { ($0.link(0), ThreadID(trusted: $0[6])) }.first
        guard let (link, thread) = found else { return nil }
        return LinkFacts(
            link: link, member: try members(of: thread, requester: user, subject: user, isSubjectHeld: true))
    }

    func add(_ link: RoomLink, code: TokenHash, to thread: ThreadID) throws {
        try run(
            LinkQueries.insert,
            [
                link.id.text, thread.text, code.text, link.author.text, link.since, link.until, link.uses, link.used,
            ])
    }
}
