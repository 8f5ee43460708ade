package import ParleyModel

/// The endpoints to which stored events are sent, for back ends.
extension Messaging {
    /// The place at which an endpoint begins.
    package enum WebhookStart: Hashable, Sendable {
        case start, end
        case cursor(EventCursor)
    }

    /// An endpoint with its number of dead letters.
    package struct KnownWebhook: Sendable {
        package let webhook: Webhook
        package let deadLetters: Int
        /// The time at which the oldest events after its place were stored, in Unix milliseconds by the database's clock; `nil`
        /// if there are none.
        package let unreadMilliseconds: Int64?
    }

    /// The texts for the receiver of a new secret; see `WebhookKey.receiverText`.
    package struct NewWebhook: Sendable {
        package let known: KnownWebhook
        package let secret: String
    }

    private static let disabled = "disabled by a back end"
    private static let noWebhook = MessagingError.notFound("there is no such webhook")
    private static let noLetter = MessagingError.notFound("there is no such dead letter")

    /// Returns all endpoints by ID.
    package func webhooks(for _: BackEnd) async throws(MessagingError) -> [KnownWebhook] {
        let store = try eventFeed()
        return try await read {
            let (webhooks, counts) = (try await store.webhooks(), try await store.deadLetterCounts())
            let unread = try await store.oldestEvents(after: webhooks.map(\.progress.place))
            return zip(webhooks, unread).map { webhook, unread in
                KnownWebhook(webhook: webhook, deadLetters: counts[webhook.id] ?? 0, unreadMilliseconds: unread)
            }
        }
    }

    /// - Throws: `notFound` for an unknown endpoint.
    package func webhook(_ id: String, for backEnd: BackEnd) async throws(MessagingError) -> KnownWebhook {
        guard let known = try await webhooks(for: backEnd).first(where: { $0.webhook.id == id }) else {
            throw Self.noWebhook
        }
        return known
    }

    /// Adds an endpoint with a new secret.
    /// - Parameters:
    ///   - settings: Its secrets are ignored.
    ///   - isEnabled: Whether sending begins at once.
    /// - Throws: `invalid` for a URL that webhooks may not use; `conflict` beyond the maximum number of endpoints.
    package func addWebhook(
        _ settings: WebhookSettings, key kind: WebhookKey.Kind, from start: WebhookStart, isEnabled: Bool = true,
        for backEnd: BackEnd
    ) async throws(MessagingError) -> NewWebhook {
        try check(settings.url)
        let store = try eventFeed()
        let key = WebhookKey(kind)
        var settings = settings
        settings.secrets = [key.text]
        var progress = WebhookProgress(place: try await cursor(start, for: backEnd))
        progress.disabled = isEnabled ? nil : Self.disabled
        let webhook = Webhook(
            id: "wh_" + Hex.encode((0..<10).map { _ in UInt8.random(in: .min ... .max) }), settings: settings,
            progress: progress, createdMilliseconds: clock.milliseconds)
        // Nothing may fail between the addition and the answer, which alone has the secret.
        let unread = try await read { try await store.oldestEvents(after: [webhook.progress.place]) }
        guard try await read({ try await store.addWebhook(webhook) }) else {
            throw .conflict("there are \(Webhook.maximumCount) webhooks, the maximum")
        }
        let known = KnownWebhook(webhook: webhook, deadLetters: 0, unreadMilliseconds: unread.first ?? nil)
        return NewWebhook(known: known, secret: key.receiverText)
    }

    /// Changes an endpoint. Sending continues with the new settings within a few seconds.
    /// - Parameters:
    ///   - isEnabled: `nil` leaves it; enabling ends all pauses.
    ///   - start: The place to continue from, which ends the waiting of threads; `nil` for where it is.
    ///   - change: Changes the settings, except for the secrets.
    /// - Throws: `invalid` for a URL that webhooks may not use; `notFound` for an unknown endpoint.
    package func changeWebhook(
        _ id: String, isEnabled: Bool?, from start: WebhookStart?, for backEnd: BackEnd,
        _ change: (inout WebhookSettings) -> Void
    ) async throws(MessagingError) -> KnownWebhook {
        let place: EventCursor?
        if let start { place = try await cursor(start, for: backEnd) } else { place = nil }
        try await replace(id, for: backEnd) { webhook throws(MessagingError) in
            let secrets = webhook.settings.secrets
            change(&webhook.settings)
            webhook.settings.secrets = secrets
            try check(webhook.settings.url)
            if let place { webhook.progress = WebhookProgress(place: place) }
            switch isEnabled {
            case true?:
                webhook.progress.disabled = nil
                for thread in webhook.progress.waiting.keys { webhook.progress.waiting[thread]?.next = 0 }
            case false?: webhook.progress.disabled = Self.disabled
            case nil: break
            }
            return place != nil || isEnabled != nil
        }
        return try await self.webhook(id, for: backEnd)
    }

    /// Changes an endpoint as it is now: another change that comes in between is not undone.
    /// - Parameter change: Returns whether the progress changes too. Called again after a change by another caller.
    private func replace(
        _ id: String, for backEnd: BackEnd, _ change: (inout Webhook) throws(MessagingError) -> Bool
    ) async throws(MessagingError) {
        let store = try eventFeed()
        for _ in 0..<Self.changeAttempts {
            let known = try await webhook(id, for: backEnd).webhook
            var webhook = known
            let progress = try change(&webhook) ? webhook.progress : nil
            let settings = webhook.settings
            if try await read({ try await store.changeWebhook(known, to: settings, progress) }) { return }
        }
        throw .conflict("the webhook is being changed by others")
    }

    /// The number of times that a change is tried while others come in between.
    private static let changeAttempts = 50

    /// Adds a secret. The endpoint has the new and the last one until `endWebhookSecret`.
    /// - Returns: The text for the receiver.
    package func addWebhookSecret(
        to id: String, key kind: WebhookKey.Kind, for backEnd: BackEnd
    ) async throws(MessagingError) -> String {
        let key = WebhookKey(kind)
        try await changeSecrets(of: id, for: backEnd) { secrets in
            secrets = [key.text] + secrets.prefix(WebhookSettings.maximumSecrets - 1)
        }
        return key.receiverText
    }

    /// Removes all secrets but the newest.
    package func endWebhookSecret(of id: String, for backEnd: BackEnd) async throws(MessagingError) {
        try await changeSecrets(of: id, for: backEnd) { secrets in secrets = Array(secrets.prefix(1)) }
    }

    private func changeSecrets(
        of id: String, for backEnd: BackEnd, _ change: (inout [String]) -> Void
    ) async throws(MessagingError) {
        try await replace(id, for: backEnd) { webhook throws(MessagingError) in
            change(&webhook.settings.secrets)
            return false
        }
    }

    /// Deletes an endpoint with its dead letters.
    /// - Throws: `notFound` for an unknown endpoint.
    package func deleteWebhook(_ id: String, for _: BackEnd) async throws(MessagingError) {
        let store = try eventFeed()
        guard try await read({ try await store.deleteWebhook(id) }) else { throw Self.noWebhook }
    }

    // MARK: Dead letters

    /// Returns dead letters, the newest first.
    /// - Parameter before: The row to continue before.
    /// - Throws: `notFound` for an unknown endpoint.
    package func deadLetters(
        of id: String, before: Int64?, limit: Int, for backEnd: BackEnd
    ) async throws(MessagingError) -> ListPage<DeadLetter> {
        let store = try eventFeed()
        _ = try await webhook(id, for: backEnd)
        return try await read {
            ListPage(try await store.deadLetters(of: id, before: before, limit: limit + 1), limit: limit)
        }
    }

    /// Sends dead letters again, in the order of their IDs, with one attempt each.
    /// - Parameter letters: `nil` for all.
    /// - Returns: The number of dead letters that were not already due.
    package func replayDeadLetters(
        of id: String, _ letters: [Int64]?, for backEnd: BackEnd
    ) async throws(MessagingError) -> Int {
        let store = try eventFeed()
        _ = try await webhook(id, for: backEnd)
        return try await read { try await store.replayDeadLetters(of: id, letters) }
    }

    /// - Throws: `notFound` for an unknown dead letter.
    package func deleteDeadLetter(_ letter: Int64, of id: String, for _: BackEnd) async throws(MessagingError) {
        let store = try eventFeed()
        guard try await read({ try await store.removeDeadLetter(letter, of: id) }) else { throw Self.noLetter }
    }

    // MARK: Checks

    /// The addresses that webhooks, and web subscriptions of devices, may have.
    package var webhookNetworks: WebhookNetworks { ports.webhookNetworks }

    private func check(_ url: String) throws(MessagingError) {
        do throws(WebhookRefusal) {
            try ports.webhookNetworks.check(try WebhookURL(url))
        } catch {
            throw .invalid("url: \(error)")
        }
    }

    private func cursor(
        _ start: WebhookStart, for backEnd: BackEnd
    ) async throws(MessagingError) -> EventCursor {
        switch start {
        case .start: return .start
        case .end: return try await endOfEvents(for: backEnd)
        case .cursor(let cursor):
            // Says that a cursor of another database has no place here.
            _ = try await events(after: cursor, EventQuery(limit: 1), for: backEnd)
            return cursor
        }
    }
}
