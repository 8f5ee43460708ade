import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: Webhooks {
    package func webhooks() async throws(StoreError) -> [Webhook] {
        try await read(.reading) { db in try db.all(WebhookQueries.all, []) { try Webhook($0) } }
    }

    package func addWebhook(_ webhook: Webhook) async throws(StoreError) -> Bool {
        try await write { db in
            try db.run(
                WebhookQueries.add,
                [
                    webhook.id, webhook.settings.stored, webhook.progress.stored, webhook.createdMilliseconds,
                    Webhook.maximumCount,
                ])
            return db.changesCount == 1
        }
    }

    package func changeWebhook(
        _ known: Webhook, to settings: WebhookSettings, _ progress: WebhookProgress?
    ) async throws(StoreError) -> Bool {
        try await changes(
            WebhookQueries.change,
            [settings.stored, progress?.stored, known.id, known.settings.stored, known.progress.stored]) == 1
    }

    package func deleteWebhook(_ id: String) async throws(StoreError) -> Bool {
        try await changes(WebhookQueries.delete, [id]) == 1
    }

    package func leaseWebhook(
        _ id: String, to token: String, for milliseconds: Int64
    ) async throws(StoreError) -> Webhook? {
        let now = clock.milliseconds
        return try await write { db in
            try db.run(WebhookQueries.lease, [token, now + milliseconds, now, id])
            guard db.changesCount == 1 else { return nil }
            return try db.first(WebhookQueries.one, [id]) { try Webhook($0) }
        }
    }

    package func storeWebhook(
        _ id: String, _ progress: WebhookProgress?, by token: String, for milliseconds: Int64
    ) async throws(StoreError) -> WebhookSettings? {
        let end = clock.milliseconds + milliseconds
        return try await write { db in
            try db.run(WebhookQueries.store, [progress?.stored, end, id, token])
            guard db.changesCount == 1 else { return nil }
            return try db.first(WebhookQueries.one, [id]) { try Webhook($0).settings }
        }
    }

    package func addDeadLetter(_ letter: DeadLetter, of id: String) async throws(StoreError) -> Bool {
        try await write { db in
            try db.run(
                WebhookQueries.addLetter,
                [id, letter.event, letter.attempts, letter.reason, letter.failedMilliseconds])
            guard db.changesCount == 1 else { return false }
            try db.run(WebhookQueries.trim, [id, DeadLetter.maximumCount])
            return true
        }
    }

    package func deadLetters(
        of id: String, before: Int64?, limit: Int
    ) async throws(StoreError) -> [DeadLetter] {
        try await read(.reading) { db in
            try db.all(WebhookQueries.letters, [id, before ?? .max, max(limit, 0)]) { DeadLetter($0) }
        }
    }

    package func deadLetterCounts() async throws(StoreError) -> [String: Int] {
        try await read(.reading) { db in
            let counts = try db.all(WebhookQueries.counts, []) { row -> (String, Int) in (row[0], row[1]) }
            return Dictionary(counts, uniquingKeysWith: { first, _ in first })
        }
    }

    package func replayDeadLetters(of id: String, _ letters: [Int64]?) async throws(StoreError) -> Int {
        guard let letters else { return try await changes(WebhookQueries.replayAll, [id]) }
        return try await write { db in
            var count = 0
            for letter in letters {
                try db.run(WebhookQueries.replay, [id, letter])
                count += db.changesCount
            }
            return count
        }
    }

    package func replayedDeadLetters(of id: String, limit: Int) async throws(StoreError) -> [DeadLetter] {
        try await read(.reading) { db in
            try db.all(WebhookQueries.replayed, [id, max(limit, 0)]) { DeadLetter($0) }
        }
    }

    package func removeDeadLetter(_ letter: Int64, of id: String) async throws(StoreError) -> Bool {
        try await changes(WebhookQueries.remove, [id, letter]) == 1
    }

    /// Runs a statement.
    /// - Returns: The number of rows that it has changed.
    private func changes(_ sql: String, _ arguments: StatementArguments) async throws(StoreError) -> Int {
        try await write { db in
            try db.run(sql, arguments)
            return db.changesCount
        }
    }
}

extension Webhook {
    fileprivate init(_ row: Row) throws {
        self.init(
            id: row[0], settings: try WebhookSettings(stored: row[1]), progress: try WebhookProgress(stored: row[2]),
            createdMilliseconds: row[3], untilMilliseconds: row[4])
    }
}

extension DeadLetter {
    fileprivate init(_ row: Row) {
        self.init(
            id: row[0], event: row[1], attempts: row[2], reason: row[3], failedMilliseconds: row[4],
            isReplayed: row[5] == 1)
    }
}
