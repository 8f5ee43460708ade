package import ParleyModel

extension ModelDatabase: Webhooks {
    package func webhooks() async throws(StoreError) -> [Webhook] {
        try await read(.page) { tables in tables.webhooks.values.map(\.webhook).sorted { $0.id < $1.id } }
    }

    package func addWebhook(_ webhook: Webhook) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in
            guard tables.webhooks[webhook.id] == nil, tables.webhooks.count < Webhook.maximumCount else {
                return false
            }
            tables.webhooks[webhook.id] = Tables.WebhookRow(webhook: webhook.leased(until: 0))
            return true
        }
    }

    package func changeWebhook(
        _ known: Webhook, to settings: WebhookSettings, _ progress: WebhookProgress?
    ) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in
            guard var row = tables.webhooks[known.id], row.webhook.settings == known.settings,
                progress == nil || row.webhook.progress == known.progress
            else { return false }
            row.webhook.settings = settings
            if let progress {
                row.webhook.progress = progress
                row.webhook = row.webhook.leased(until: 0)
                row.token = ""
            }
            tables.webhooks[known.id] = row
            return true
        }
    }

    package func deleteWebhook(_ id: String) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in tables.webhooks.removeValue(forKey: id) != nil }
    }

    package func leaseWebhook(
        _ id: String, to token: String, for milliseconds: Int64
    ) async throws(StoreError) -> Webhook? {
        try await write(.account) { tables, context in
            guard var row = tables.webhooks[id], row.token == token || row.webhook.untilMilliseconds <= context.now
            else { return nil }
            row.token = token
            row.webhook = row.webhook.leased(until: context.now &+ milliseconds)
            tables.webhooks[id] = row
            return row.webhook
        }
    }

    package func storeWebhook(
        _ id: String, _ progress: WebhookProgress?, by token: String, for milliseconds: Int64
    ) async throws(StoreError) -> WebhookSettings? {
        try await write(.account) { tables, context in
            guard var row = tables.webhooks[id], row.token == token else { return nil }
            if let progress { row.webhook.progress = progress }
            row.webhook = row.webhook.leased(until: context.now &+ milliseconds)
            tables.webhooks[id] = row
            return row.webhook.settings
        }
    }

    package func addDeadLetter(_ letter: DeadLetter, of id: String) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in
            guard var row = tables.webhooks[id] else { return false }
            if let index = row.letters.firstIndex(where: { $0.event == letter.event }) {
                row.letters[index] = letter.stored(row.letters[index].id, isReplayed: false)
            } else {
                tables.lastDeadLetter += 1
                row.letters.append(letter.stored(tables.lastDeadLetter, isReplayed: false))
                if row.letters.count > DeadLetter.maximumCount { row.letters.removeFirst() }
            }
            tables.webhooks[id] = row
            return true
        }
    }

    package func deadLetters(
        of id: String, before: Int64?, limit: Int
    ) async throws(StoreError) -> [DeadLetter] {
        try await read(.page) { tables in
            let letters = tables.webhooks[id]?.letters ?? []
            return Array(letters.reversed().lazy.filter { $0.id < before ?? .max }.prefix(max(limit, 0)))
        }
    }

    package func deadLetterCounts() async throws(StoreError) -> [String: Int] {
        try await read(.page) { tables in tables.webhooks.mapValues(\.letters.count).filter { $0.value > 0 } }
    }

    package func replayDeadLetters(of id: String, _ letters: [Int64]?) async throws(StoreError) -> Int {
        try await write(.account) { tables, _ in
            guard var row = tables.webhooks[id] else { return 0 }
            var count = 0
            for (index, letter) in row.letters.enumerated()
            where !letter.isReplayed && letters?.contains(letter.id) ?? true {
                row.letters[index] = letter.stored(letter.id, isReplayed: true)
                count += 1
            }
            tables.webhooks[id] = row
            return count
        }
    }

    package func replayedDeadLetters(of id: String, limit: Int) async throws(StoreError) -> [DeadLetter] {
        try await read(.page) { tables in
            Array((tables.webhooks[id]?.letters ?? []).lazy.filter(\.isReplayed).prefix(max(limit, 0)))
        }
    }

    package func removeDeadLetter(_ letter: Int64, of id: String) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in
            guard let index = tables.webhooks[id]?.letters.firstIndex(where: { $0.id == letter }) else { return false }
            tables.webhooks[id]?.letters.remove(at: index)
            return true
        }
    }
}

extension Webhook {
    fileprivate func leased(until milliseconds: Int64) -> Webhook {
        Webhook(
            id: id, settings: settings, progress: progress, createdMilliseconds: createdMilliseconds,
            untilMilliseconds: milliseconds)
    }
}

extension DeadLetter {
    fileprivate func stored(_ id: Int64, isReplayed: Bool) -> DeadLetter {
        DeadLetter(
            id: id, event: event, attempts: attempts, reason: reason, failedMilliseconds: failedMilliseconds,
            isReplayed: isReplayed)
    }
}
