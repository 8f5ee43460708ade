package import ParleyModel

extension PostgresStore: Webhooks {
    package func webhooks() async throws(StoreError) -> [Webhook] {
        try await rows(.list, WebhookQueries.all())
    }

    package func addWebhook(_ webhook: Webhook) async throws(StoreError) -> Bool {
        try await pool.perform(.account) { connection in
            var pipeline = Pipeline(Locks.webhooks())
            let added = pipeline.add(
                WebhookQueries.add(
                    .text(webhook.id), .text(webhook.settings.stored), .text(webhook.progress.stored),
                    .int(webhook.createdMilliseconds), .int(Int64(Webhook.maximumCount))))
            return try connection.run(pipeline).count(added) == 1
        }
    }

    package func changeWebhook(
        _ known: Webhook, to settings: WebhookSettings, _ progress: WebhookProgress?
    ) async throws(StoreError) -> Bool {
        try await !rows(
            .account,
            WebhookQueries.change(
                .text(settings.stored), .text(progress?.stored), .text(known.id), .text(known.settings.stored),
                .text(known.progress.stored))
        ).isEmpty
    }

    package func deleteWebhook(_ id: String) async throws(StoreError) -> Bool {
        try await !rows(.account, WebhookQueries.delete(.text(id))).isEmpty
    }

    package func leaseWebhook(
        _ id: String, to token: String, for milliseconds: Int64
    ) async throws(StoreError) -> Webhook? {
        try await rows(.account, WebhookQueries.lease(.text(token), .int(milliseconds), .text(id))).first
    }

    package func storeWebhook(
        _ id: String, _ progress: WebhookProgress?, by token: String, for milliseconds: Int64
    ) async throws(StoreError) -> WebhookSettings? {
        try await rows(
            .account,
            WebhookQueries.store(.text(progress?.stored), .int(milliseconds), .text(id), .text(token))
        ).first
    }

    package func addDeadLetter(_ letter: DeadLetter, of id: String) async throws(StoreError) -> Bool {
        try await pool.perform(.account) { connection in
            var pipeline = Pipeline()
            let added = pipeline.add(
                WebhookQueries.addLetter(
                    .text(id), .text(letter.event), .int(Int64(letter.attempts)), .text(letter.reason),
                    .int(letter.failedMilliseconds)))
            pipeline.add(WebhookQueries.trim(.text(id), .int(Int64(DeadLetter.maximumCount))))
            return try connection.run(pipeline).count(added) == 1
        }
    }

    package func deadLetters(
        of id: String, before: Int64?, limit: Int
    ) async throws(StoreError) -> [DeadLetter] {
        try await rows(
            .list, WebhookQueries.letters(.text(id), .int(before ?? .max), .int(Int64(max(limit, 0)))))
    }

    package func deadLetterCounts() async throws(StoreError) -> [String: Int] {
        let counts = try await rows(.list, WebhookQueries.counts())
        return Dictionary(counts, uniquingKeysWith: { first, _ in first })
    }

    package func replayDeadLetters(of id: String, _ letters: [Int64]?) async throws(StoreError) -> Int {
        let call =
            letters.map { WebhookQueries.replay(.text(id), .ints($0)) } ?? WebhookQueries.replayAll(.text(id))
        return try await rows(.account, call).count
    }

    package func replayedDeadLetters(of id: String, limit: Int) async throws(StoreError) -> [DeadLetter] {
        try await rows(.list, WebhookQueries.replayed(.text(id), .int(Int64(max(limit, 0)))))
    }

    package func removeDeadLetter(_ letter: Int64, of id: String) async throws(StoreError) -> Bool {
        try await !rows(.account, WebhookQueries.remove(.text(id), .int(letter))).isEmpty
    }
}
