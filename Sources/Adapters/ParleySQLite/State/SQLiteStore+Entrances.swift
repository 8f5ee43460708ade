import GRDB
package import ParleyModel
import ParleyStorage

/// Lists of the ways into threads. `StateExecutor` has the changes.
extension SQLiteStore {
    package func invitations(
        of user: UserID, at now: Int64, after thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await invitations(EntranceQueries.ofUser, [user.text, now, thread?.text ?? "", max(limit, 0)])
    }

    package func invitations(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [InvitationRecord] {
        try await invitations(EntranceQueries.ofThread, [thread.text, now, user?.text ?? "", max(limit, 0)])
    }

    private func invitations(
        _ sql: String, _ arguments: StatementArguments
    ) async throws(StoreError) -> [InvitationRecord] {
        try await read(.reading) { db in
            try db.all(sql, arguments) { row in
                let author = User(id: UserID(trusted: row[6]), name: row[7])
                return InvitationRecord(
                    thread: try row.threadInfo(0), user: User(id: UserID(trusted: row[4]), name: row[5]),
                    author: author,
                    invitation: Invitation(by: author.id, text: row[8], since: row[9], until: row[10]))
            }
        }
    }

    package func requests(of user: UserID, at now: Int64) async throws(StoreError) -> [RequestRecord] {
        try await requests(EntranceQueries.requestsOfUser, [user.text, now, JoinRequest.limitOfUser])
    }

    package func requests(
        in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [RequestRecord] {
        try await requests(EntranceQueries.requestsOfThread, [thread.text, now, user?.text ?? "", max(limit, 0)])
    }

    private func requests(
        _ sql: String, _ arguments: StatementArguments
    ) async throws(StoreError) -> [RequestRecord] {
        try await read(.reading) { db in
            try db.all(sql, arguments) { row in
                RequestRecord(
                    thread: ThreadID(trusted: row[0]), user: User(id: UserID(trusted: row[1]), name: row[2]),
                    request: JoinRequest(
                        text: row[3], since: row[4], state: try JoinRequest.State(stored: row[5])))
            }
        }
    }
}
