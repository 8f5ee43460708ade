package import ParleyModel

extension ModelDatabase: ChangeFeed {
    package func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage {
        let limit = max(limit, 1)
        return try await readServer(.lookUp) { state, _ in
            let (tables, server) = (state.tables, String(state.start))
            let here = FeedMark(server: server, base: tables.lastTransaction)
            guard let since = mark.flatMap({ FeedMark($0) }), since.server == server, since.base <= here.base else {
                return ChangePage(users: [], apiKeys: [], mark: here.mark, isReset: mark != nil)
            }
            let found = tables.versions.filter { subject, row in
                row.transaction > since.base && (row.transaction, subject) > (since.transaction, since.subject)
            }
            .sorted { ($0.value.transaction, $0.key) < ($1.value.transaction, $1.key) }
            let reported = found.prefix(limit)
            var page = ChangePage(users: [], apiKeys: [], mark: here.mark, hasMore: found.count > limit)
            for (subject, _) in reported { page.add(subject: subject) }
            // The remaining pages, then what has changed since the answer began.
            var next = FeedMark(server: server, base: since.next ?? here.base)
            if page.hasMore, let last = reported.last {
                next.base = since.base
                next.next = since.next ?? here.base
                (next.transaction, next.subject) = (last.value.transaction, last.key)
            }
            page.mark = next.mark
            return page
        }
    }

    package func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot] {
        try await lookUp(users) { tables, id in
            guard let row = tables.users[id], row.isPresent else { return nil }
            return UserSnapshot(
                user: row.user, displayName: row.otherDisplayName,
                version: tables.versions["u:\(id.text)"]?.version ?? 0,
                credentialsVersion: row.credentialsVersion, memberships: tables.memberships(of: id),
                suspension: row.account.suspension, blocks: tables.blocks(of: id))
        }
    }

    package func options(of rooms: [ThreadID]) async throws(StoreError) -> [ThreadID: RoomOptions] {
        try await lookUp(rooms) { tables, id in
            tables.threads[id].flatMap { $0.details.options == .standard ? nil : $0.details.options }
        }
    }
}

/// A place in the change feed, encoded as text.
private struct FeedMark {
    /// The start of the server.
    let server: String
    /// The last transaction that was reported, by the last complete answer.
    var base: Int64
    /// The last transaction at the first page of an answer of several pages.
    var next: Int64?
    /// The last row of the previous page.
    var transaction: Int64 = 0
    var subject = ""

    init(server: String, base: Int64) {
        self.server = server
        self.base = base
    }

    /// Returns `nil` if the text is not such a place.
    init?(_ mark: ChangeMark) {
        let fields = mark.text.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count == 5, let base = Int64(fields[1]), let transaction = Int64(fields[3]) else { return nil }
        self.init(server: String(fields[0]), base: base)
        next = Int64(fields[2])
        (self.transaction, subject) = (transaction, String(fields[4]))
    }

    var mark: ChangeMark {
        ChangeMark("\(server)|\(base)|\(next.map(String.init) ?? "")|\(transaction)|\(subject)")
    }
}
