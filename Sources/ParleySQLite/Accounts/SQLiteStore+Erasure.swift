import Foundation
import GRDB
package import ParleyModel

extension SQLiteStore {
    /// How many messages are erased in one transaction.
    private static let erasedAtOnce = 500

    package func erase(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> Bool {
        let isKnown = try await write { db in
            let erased = User.erased(user)
            try db.cachedStatement(sql: AccountQueries.eraseUser)
                .execute(arguments: [erased.name, milliseconds, user.text])
            guard db.changesCount == 1 else { return false }
            for sql in [AccountQueries.deleteSessionsOfUser, AccountQueries.deleteMembershipsOfUser] {
                try db.cachedStatement(sql: sql).execute(arguments: [user.text])
            }
            try db.cachedStatement(sql: AccountQueries.eraseNames).execute(arguments: [erased.name, user.text])
            try db.cachedStatement(sql: AccountQueries.eraseRejects)
                .execute(arguments: [Data("\"user_id\":\"\(user)\"".utf8)])
            return true
        }
        guard isKnown else { return false }
        // From here on nothing of this user's is stored with a text.
        var place: ExportPlace?
        repeat {
            let start = place
            place = try await write { db in try Self.eraseMessages(of: user, after: start, in: db) }
        } while place != nil
        return true
    }

    /// Erases some messages of a user.
    /// - Returns: where to go on; `nil` if all are erased.
    private static func eraseMessages(
        of user: UserID, after place: ExportPlace?, in db: Database
    ) throws -> ExportPlace? {
        let page = try export(of: user, after: place, limit: erasedAtOnce, in: db)
        for event in page.messages where event.message?.isErased == false {
            try db.cachedStatement(sql: AccountQueries.eraseMessage)
                .execute(arguments: [User.erased(user).name, event.thread.text, event.position.seq])
            try db.cachedStatement(sql: WriteQueries.forgetReactions)
                .execute(arguments: [event.thread.text, event.position.seq])
            try db.cachedStatement(sql: WriteQueries.forgetEdits)
                .execute(arguments: [event.thread.text, event.message?.id.text])
        }
        return page.next
    }
}
