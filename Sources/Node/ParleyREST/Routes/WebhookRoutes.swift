import HTTPTypes
import Hummingbird
import Logging
import ParleyJSON
import ParleyMessaging
import ParleyModel

private let path = "/v1/admin/webhooks"

/// Endpoints that are sent stored events, for back ends.
func webhookRoutes(_ services: RESTServices) -> [Route] {
    let (messaging, clock) = (services.messaging, services.clock)
    return [
        Route(.get, path: path, for: .backEnd, budget: .lists) { _, context in
            let webhooks = try await messaging.webhooks(for: context.caller)
            return .json(.ordered([("webhooks", .array(webhooks.map { JSONTree($0, at: clock.milliseconds) }))]))
        },
        Route(.post, path: path, for: .backEnd) { request, context in
            let fields = try await request.bodyFields()
            let change = try await WebhookChange(fields, services)
            guard let url = change.url else { throw APIError.badRequest("url is missing") }
            var settings = WebhookSettings(url: url, secrets: [])
            change.apply(to: &settings)
            let new = try await messaging.addWebhook(
                settings, key: try fields.keyKind(), from: change.start ?? .end,
                isEnabled: change.isEnabled ?? true, for: context.caller)
            context.logger.notice("webhook added", metadata: ["webhook": "\(new.known.webhook.id)"])
            return .json(JSONTree(new.known, at: clock.milliseconds, secret: new.secret), status: .created)
        },
        Route(.get, path: "\(path)/{webhook}", for: .backEnd, budget: .lists) { _, context in
            let known = try await messaging.webhook(context.webhookID(), for: context.caller)
            return .json(JSONTree(known, at: clock.milliseconds))
        },
        Route(.patch, path: "\(path)/{webhook}", for: .backEnd) { request, context in
            let (id, fields) = (try context.webhookID(), try await request.bodyFields())
            let change = try await WebhookChange(fields, services)
            let known = try await messaging.changeWebhook(
                id, isEnabled: change.isEnabled, from: change.start, for: context.caller
            ) { change.apply(to: &$0) }
            context.logger.notice("webhook changed", metadata: ["webhook": "\(id)"])
            return .json(JSONTree(known, at: clock.milliseconds))
        },
        Route(.delete, path: "\(path)/{webhook}", for: .backEnd) { _, context in
            let id = try context.webhookID()
            try await messaging.deleteWebhook(id, for: context.caller)
            context.logger.notice("webhook deleted", metadata: ["webhook": "\(id)"])
            return .nothing()
        },
        Route(.post, path: "\(path)/{webhook}/secrets", for: .backEnd) { request, context in
            let (id, fields) = (try context.webhookID(), try await request.bodyFields())
            let secret = try await messaging.addWebhookSecret(to: id, key: fields.keyKind(), for: context.caller)
            context.logger.notice("secret of a webhook added", metadata: ["webhook": "\(id)"])
            return .json(.ordered([("secret", .text(secret))]), status: .created)
        },
        Route(.delete, path: "\(path)/{webhook}/secrets", for: .backEnd) { _, context in
            let id = try context.webhookID()
            try await messaging.endWebhookSecret(of: id, for: context.caller)
            context.logger.notice("old secret of a webhook removed", metadata: ["webhook": "\(id)"])
            return .nothing()
        },
    ]
}

/// Events that an endpoint has refused until they were given up.
func deadLetterRoutes(_ services: RESTServices) -> [Route] {
    let (messaging, letters) = (services.messaging, "\(path)/{webhook}/dead-letters")
    return [
        Route(.get, path: letters, for: .backEnd, budget: .lists) { request, context in
            let (id, fields) = (try context.webhookID(), try request.queryFields())
            let page = try await messaging.deadLetters(
                of: id, before: try fields.cursor { Int64($0) },
                limit: Int(try fields.number("limit", from: 1, upTo: 200) ?? 50), for: context.caller)
            return .json(
                .ordered([
                    ("dead_letters", .array(page.elements.map { JSONTree($0) })),
                    ("next_cursor", page.last.map { .text("\($0.id)") } ?? .null),
                ]))
        },
        Route(.post, path: "\(letters)/replay", for: .backEnd) { request, context in
            let (id, fields) = (try context.webhookID(), try await request.bodyFields())
            let count = try await messaging.replayDeadLetters(of: id, fields.letterIDs(), for: context.caller)
            context.logger.notice(
                "dead letters are sent again", metadata: ["webhook": "\(id)", "count": "\(count)"])
            return .json(.ordered([("replayed", .integer(Int64(count)))]))
        },
        Route(.delete, path: "\(letters)/{letter}", for: .backEnd) { _, context in
            let id = try context.webhookID()
            guard let letter = context.parameter("letter").flatMap({ Int64($0) }) else {
                throw APIError(.notFound, "there is no such dead letter")
            }
            try await messaging.deleteDeadLetter(letter, of: id, for: context.caller)
            return .nothing()
        },
    ]
}

/// The fields of a webhook in a body. A field that is absent changes nothing; `null` removes a filter.
private struct WebhookChange: Sendable {
    let url: String?
    private let kinds: EventKinds?
    private let thread: ThreadID??
    private let user: UserID??
    private let batch: Int?
    let isEnabled: Bool?
    let start: Messaging.WebhookStart?

    init(_ fields: Fields, _ services: RESTServices) async throws {
        url = try fields.textIfPresent("url")
        batch = try fields.number(
            "batch", from: Int64(WebhookSettings.batches.lowerBound), upTo: Int64(WebhookSettings.batches.upperBound)
        ).map { Int($0) }
        kinds = fields.has("kinds") ? try fields.eventKinds() : nil
        thread = fields.has("thread") ? .some(try fields.threadID()) : nil
        user =
            switch (fields.has("user"), try fields.tree("user")) {
            case (false, _): nil
            case (true, nil): .some(nil)
            case (true, _): .some(try await services.messaging.knownUser(services.userReference(fields)).id)
            }
        isEnabled = try fields.tree("enabled").map { tree throws(APIError) in
            guard case .bool(let isEnabled) = tree else { throw .badRequest("enabled is not true or false") }
            return isEnabled
        }
        start = try fields.textIfPresent("after").map { text throws(APIError) in
            switch text {
            case "start": return .start
            case "end": return .end
            default:
                guard let cursor = EventCursor(text) else {
                    throw .badRequest("after is not start, end, or the cursor of an earlier answer")
                }
                return .cursor(cursor)
            }
        }
    }

    func apply(to settings: inout WebhookSettings) {
        if let url { settings.url = url }
        if let kinds { settings.eventKinds = kinds }
        if let thread { settings.thread = thread }
        if let user { settings.user = user }
        if let batch { settings.batch = batch }
    }
}

extension Fields {
    /// The kind of a new secret.
    fileprivate func keyKind() throws(APIError) -> WebhookKey.Kind {
        guard let text = try textIfPresent("key") else { return .shared }
        guard let kind = WebhookKey.Kind(rawValue: text) else {
            let allowed = WebhookKey.Kind.allCases.map(\.rawValue).joined(separator: " and ")
            throw .badRequest("key is unknown; allowed are \(allowed)")
        }
        return kind
    }

    /// - Returns: All kinds of log events for `null`.
    fileprivate func eventKinds() throws(APIError) -> EventKinds {
        guard let tree = try tree("kinds") else { return EventKinds() }
        guard let names = tree.elements?.map({ $0.text ?? "" }), !names.isEmpty, names.count <= EventKinds.maximumCount
        else { throw .badRequest("kinds is not a list of kinds") }
        guard let kinds = EventKinds(names: names) else {
            throw .badRequest("kinds has an unknown kind; allowed are \(EventKinds.allowed)")
        }
        return kinds
    }

    fileprivate func threadID() throws(APIError) -> ThreadID? {
        guard let text = try textIfPresent("thread") else { return nil }
        guard let thread = ThreadID(text) else { throw .badRequest("thread is not the id of a thread") }
        return thread
    }

    /// The dead letters to send again; `nil` for all.
    fileprivate func letterIDs() throws(APIError) -> [Int64]? {
        guard let tree = try tree("ids") else { return nil }
        guard let elements = tree.elements, elements.count <= 200 else {
            throw .badRequest("ids is not a list of at most 200 ids")
        }
        var ids: [Int64] = []
        for element in elements {
            guard let id = element.integer else { throw .badRequest("ids has something else than an integer") }
            ids.append(id)
        }
        return ids
    }
}

extension CallContext {
    /// - Throws: `not_found` for a text that is no ID.
    fileprivate func webhookID() throws(APIError) -> String {
        guard let id = parameter("webhook"), Webhook.isID(id) else {
            throw APIError(.notFound, "there is no such webhook")
        }
        return id
    }
}

extension JSONTree {
    /// - Parameters:
    ///   - now: The time in Unix milliseconds.
    ///   - secret: The text of a new secret.
    fileprivate init(_ known: Messaging.KnownWebhook, at now: Int64, secret: String? = nil) {
        let (webhook, settings, progress) = (known.webhook, known.webhook.settings, known.webhook.progress)
        let kinds = settings.eventKinds.names.map { JSONTree.array($0.map { .text($0) }) }
        var members: [(String, JSONTree)] = [("id", .text(webhook.id)), ("url", .text(settings.url))]
        if let secret { members.append(("secret", .text(secret))) }
        members += [
            ("kinds", kinds ?? .null), ("thread", settings.thread.map { .text($0.text) } ?? .null),
            ("user", settings.user.map { .text($0.text) } ?? .null), ("batch", .integer(Int64(settings.batch))),
            ("secrets", .integer(Int64(settings.secrets.count))), ("created_ms", .integer(webhook.createdMilliseconds)),
            ("enabled", .bool(webhook.isEnabled)), ("disabled", progress.disabled.map { .text($0) } ?? .null),
            ("cursor", .text(progress.place.text)),
            ("lag_ms", known.unreadMilliseconds.map { .integer(max(0, now - $0)) } ?? .null),
            ("waiting_threads", .integer(Int64(progress.waiting.count))),
            ("dead_letters", .integer(Int64(known.deadLetters))),
            ("success_ms", progress.successMilliseconds.map { .integer($0) } ?? .null),
            ("failure_ms", progress.failureMilliseconds.map { .integer($0) } ?? .null),
            ("failure", progress.failure.map { .text($0) } ?? .null),
        ]
        self = .ordered(members)
    }

    fileprivate init(_ letter: DeadLetter) {
        self = .ordered([
            ("id", .integer(letter.id)), ("event", .text(letter.event)),
            ("attempts", .integer(Int64(letter.attempts))), ("reason", .text(letter.reason)),
            ("failed_ms", .integer(letter.failedMilliseconds)), ("replayed", .bool(letter.isReplayed)),
        ])
    }
}
