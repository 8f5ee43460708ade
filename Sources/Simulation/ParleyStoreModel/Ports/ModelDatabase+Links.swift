package import ParleyModel
package import ParleyStorage

extension ModelDatabase {
    package func links(of thread: ThreadID, at now: Int64) async throws(StoreError) -> [RoomLink] {
        try await read(.page) { $0.links(of: thread).filter { $0.isInForce(at: now) } }
    }

    package func linkedRoom(_ code: TokenHash, for user: UserID) async throws(StoreError) -> LinkedRoom? {
        try await read(.page) { tables in
            guard let (link, thread) = tables.link(code), let row = tables.threads[thread] else { return nil }
            return LinkedRoom(
                link: link, thread: tables.info(of: row), members: Int64(tables.members[thread]?.count ?? 0),
                isMember: tables.isMember(user, of: thread))
        }
    }
}

extension StateTransaction {
    package func links(of thread: ThreadID) -> [RoomLink] { tables.links(of: thread) }

    package func link(_ code: TokenHash, for user: UserID) -> LinkFacts? {
        tables.link(code).map { link, thread in
            LinkFacts(
                link: link, member: members(of: thread, requester: user, subject: user, isSubjectHeld: true))
        }
    }
}

extension Tables {
    mutating func useLink(_ link: LinkID, of thread: ThreadID, at now: Int64) {
        guard var row = links[thread]?[link] else { return }
        row.link.used += 1
        if row.link.used == row.link.uses { row.usedUp = now }
        links[thread]?[link] = row
    }

    /// Deletes the links that have ended before a time, at most `limit`.
    /// - Returns: the number of deleted links.
    mutating func removeEndedLinks(before milliseconds: Int64, limit: Int) -> Int {
        let ended = links.flatMap { thread, rows in
            rows.values.compactMap { row in
                row.ended.flatMap { $0 < milliseconds ? (end: $0, id: row.link.id, thread: thread) : nil }
            }
        }
        let removed = ended.sorted { ($0.end, $0.id.text) < ($1.end, $1.id.text) }.prefix(limit)
        for link in removed { links[link.thread]?[link.id] = nil }
        return removed.count
    }

    fileprivate func links(of thread: ThreadID) -> [RoomLink] {
        (links[thread] ?? [:]).values.map(\.link).sorted { ($0.since, $0.id.text) > ($1.since, $1.id.text) }
    }

    fileprivate func link(_ code: TokenHash) -> (link: RoomLink, thread: ThreadID)? {
        for (thread, rows) in links {
            if let row = rows.values.first(where: { $0.code == code }) { return (row.link, thread) }
        }
        return nil
    }
}
