package import ParleyModel

extension PostgresStore: ChangeFeed {
    package func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage {
        let limit = max(limit, 1)
        let since = mark.flatMap { FeedMark($0.text) }
        return try await pool.perform(.lookUp) { connection in
            // Reads the position first, so that a commit between the two statements is reported twice rather than
            // missed.
            var pipeline = Pipeline()
            let place = pipeline.add(FeedQueries.place())
            let changes = since.map { since in
                pipeline.add(
                    FeedQueries.changes(
                        .text(since.base), .text(since.transaction), .text(since.subject), .int(Int64(limit + 1))))
            }
            let replies = try connection.run(pipeline)
            guard let (snapshot, end, server) = try replies.first(place) else {
                throw StoreError.failed("the server does not say where it is")
            }
            let here = FeedMark(server: server, base: snapshot)
            guard let since, let changes, since.server == server, since.end <= end else {
                return ChangePage(users: [], apiKeys: [], mark: here.mark, isReset: mark != nil)
            }
            let found = try replies.all(changes)
            let reported = found.prefix(limit)
            var page = ChangePage(users: [], apiKeys: [], mark: here.mark, hasMore: found.count > limit)
            for (subject, _) in reported { page.add(subject: subject) }
            // The remaining pages follow, then the transactions that were not complete when the answer began.
            let next = since.next ?? snapshot
            if page.hasMore, let last = reported.last {
                page.mark =
                    FeedMark(
                        server: server, base: since.base, next: next, transaction: last.transaction,
                        subject: last.subject
                    ).mark
            } else {
                page.mark = FeedMark(server: server, base: next).mark
            }
            return page
        }
    }

    package func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot] {
        guard !users.isEmpty else { return [:] }
        let ids = Set(users.map(\.text)).sorted()
        return try await pool.perform(.lookUp) { connection in
            var pipeline = Pipeline()
            let found = pipeline.add(FeedQueries.snapshots(.texts(ids)))
            // Read afterwards, so that they are not older than the versions.
            let blocks = pipeline.add(BlockQueries.ofUsers(.texts(ids)))
            let replies = try connection.run(pipeline)
            var snapshots: [UserID: UserSnapshot] = [:]
            for row in try replies.all(found) {
                snapshots[row.user.id, default: UserSnapshot(emptyOf: row)].memberships += row.memberships
            }
            for (user, blocked) in try replies.all(blocks) {
                snapshots[user]?.blocks.made.insert(blocked)
                snapshots[blocked]?.blocks.suffered.insert(user)
            }
            return snapshots
        }
    }

    package func options(of rooms: [ThreadID]) async throws(StoreError) -> [ThreadID: RoomOptions] {
        guard !rooms.isEmpty else { return [:] }
        let found = try await rows(.lookUp, FeedQueries.options(.texts(rooms.map(\.text))))
        return found.reduce(into: [:]) { $0[$1.room] = $1.options }
    }
}

extension UserSnapshot {
    /// Creates a copy without memberships.
    fileprivate init(emptyOf other: UserSnapshot) {
        self = other
        memberships = []
    }
}

/// A position in PostgreSQL's change feed, encoded as text.
struct FeedMark {
    /// See `FeedQueries.place`.
    var server: String
    /// The snapshot of the last complete answer; everything visible in it has been reported.
    var base: String
    /// The snapshot at which the first page was read, if the answer has several pages.
    var next: String?
    /// The last row of the previous page.
    var transaction = "0"
    var subject = ""

    init(server: String, base: String) {
        self.server = server
        self.base = base
    }

    init(server: String, base: String, next: String, transaction: String, subject: String) {
        self.init(server: server, base: base)
        self.next = next
        self.transaction = transaction
        self.subject = subject
    }

    /// Returns `nil` if the text does not encode a position.
    init?(_ text: String) {
        let fields = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 5, fields[1].contains(":"), UInt64(fields[3]) != nil else { return nil }
        self.init(server: fields[0], base: fields[1])
        next = fields[2].isEmpty ? nil : fields[2]
        (transaction, subject) = (fields[3], fields[4])
    }

    var mark: ChangeMark { ChangeMark([server, base, next ?? "", transaction, subject].joined(separator: "|")) }

    /// The first transaction that had not begun. A server that has not reached this transaction has lost transactions.
    var end: UInt64 {
        let parts = base.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count > 1 ? UInt64(parts[1]) ?? .max : .max
    }
}
