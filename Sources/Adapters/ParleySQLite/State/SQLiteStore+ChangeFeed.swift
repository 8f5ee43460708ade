import GRDB
package import ParleyModel

/// A mark consists of the name of the store and the number of its last change. Writers are serialised, so changes with
/// lower numbers were committed before it.
extension SQLiteStore: ChangeFeed {
    package func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage {
        let limit = max(limit, 1)
        return try await read { db in
            guard let row = try Row.fetchOne(db.cachedStatement(sql: StateQueries.place)) else {
                throw StoreError.failed("the table of changes is empty")
            }
            let (store, value): (String, Int64) = (row[0], row[1])
            func place(_ value: Int64) -> ChangeMark { ChangeMark("\(store)|\(value)") }
            let fields = (mark?.text ?? "").split(separator: "|")
            guard fields.count == 2, fields[0] == store, let since = Int64(fields[1]), since <= value else {
                return ChangePage(users: [], apiKeys: [], mark: place(value), isReset: mark != nil)
            }
            let found = try Row.fetchAll(
                db.cachedStatement(sql: StateQueries.changes), arguments: [since, limit + 1])
            let reported = found.prefix(limit)
            var page = ChangePage(users: [], apiKeys: [], mark: place(value), hasMore: found.count > limit)
            for row in reported { page.add(subject: row[0]) }
            if page.hasMore, let last = reported.last { page.mark = place(last[1]) }
            return page
        }
    }

    package func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot] {
        guard !users.isEmpty else { return [:] }
        let keys = Self.json(users.map(\.text))
        return try await read { db in
            let rows = try Row.fetchCursor(db.cachedStatement(sql: StateQueries.snapshots), arguments: [keys])
            var snapshots: [UserID: UserSnapshot] = [:]
            while let row = try rows.next() {
                let user = User(id: UserID(trusted: row[0]), name: row[1])
                let empty = UserSnapshot(
                    user: user, displayName: row[11], version: row[2], credentialsVersion: row[3], memberships: [],
                    suspension: row.optionalSuspension(18))
                var snapshot = snapshots[user.id] ?? empty
                if let role = try row.optionalRole(4) {
                    snapshot.memberships.append(
                        Membership(
                            thread: try row.threadInfo(5), role: role, peer: row.optionalUser(9), try row.limits(12)))
                }
                snapshots[user.id] = snapshot
            }
            for row in try Row.fetchAll(db.cachedStatement(sql: BlockQueries.ofUsers), arguments: [keys]) {
                let (user, blocked) = (UserID(trusted: row[0]), UserID(trusted: row[1]))
                snapshots[user]?.blocks.made.insert(blocked)
                snapshots[blocked]?.blocks.suffered.insert(user)
            }
            return snapshots
        }
    }

    package func options(of rooms: [ThreadID]) async throws(StoreError) -> [ThreadID: RoomOptions] {
        guard !rooms.isEmpty else { return [:] }
        return try await read { db in
            try db.all(StateQueries.options, [Self.json(rooms.map(\.text))]) { row in
                (room: ThreadID(trusted: row[0]), options: try row.options(1))
            }.reduce(into: [:]) { $0[$1.room] = $1.options }
        }
    }
}
