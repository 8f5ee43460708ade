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
