import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The settings of the caller for notifications.
func notificationRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/me/notifications", for: .user, budget: .lists) { _, context in
            .json(try await messaging.ownNotifications(of: Caller(context.caller)))
        },
        Route(.patch, path: "/v1/me/notifications", for: .user) { request, context in
            let (caller, update) = (Caller(context.caller), try await request.bodyFields().notificationUpdate())
            try await messaging.setNotifications(update, by: caller)
            return .json(try await messaging.ownNotifications(of: caller))
        },
        Route(.get, path: "/v1/threads/{id}/notifications", for: .user, budget: .lists) { _, context in
            let thread = try context.threadID()
            let settings = try await messaging.threadNotifications(in: thread, of: Caller(context.caller))
            return .json(JSONTree(ThreadNotificationRecord(thread: thread, settings: settings)))
        },
        Route(.patch, path: "/v1/threads/{id}/notifications", for: .user) { request, context in
            let (thread, update) = (try context.threadID(), try await request.bodyFields().threadNotificationUpdate())
            let settings = try await messaging.setThreadNotifications(update, in: thread, by: Caller(context.caller))
            return .json(JSONTree(ThreadNotificationRecord(thread: thread, settings: settings)))
        },
    ]
}

extension Messaging {
    fileprivate func ownNotifications(of caller: Caller) async throws(MessagingError) -> JSONTree {
        let (settings, threads) = try await notifications(of: caller)
        return .ordered(JSONTree.members(of: settings) + [("threads", .array(threads.map { JSONTree($0) }))])
    }
}

extension Fields {
    fileprivate func notificationUpdate() throws -> NotificationUpdate {
        let levels = try defaults()
        return NotificationUpdate(
            direct: levels["direct"], group: levels["group"], room: levels["room"], quiet: try quietHours(),
            mutedUntil: try mutedUntil())
    }

    fileprivate func threadNotificationUpdate() throws -> ThreadNotificationUpdate {
        var level = SettingChange<NotificationLevel>.keep
        if has("level") {
            level = try textIfPresent("level").map { .set(try Self.level($0, of: "level")) } ?? .remove
        }
        return ThreadNotificationUpdate(level: level, mutedUntil: try mutedUntil())
    }

    /// Returns the given levels by the kind of thread.
    private func defaults() throws -> [String: NotificationLevel] {
        guard let tree = try tree("default") else { return [:] }
        guard case .members = tree else { throw APIError.badRequest("default must be an object") }
        var levels: [String: NotificationLevel] = [:]
        for kind in ["direct", "group", "room"] {
            switch tree[kind] {
            case nil, .null?: break
            case .text(let text)?: levels[kind] = try Self.level(text, of: "default.\(kind)")
            default: throw APIError.badRequest("default.\(kind) must be a string")
            }
        }
        return levels
    }

    private static func level(_ text: String, of field: String) throws -> NotificationLevel {
        guard let level = NotificationLevel(rawValue: text) else {
            throw APIError.badRequest("\(field) is unknown; allowed are all, mentions and none")
        }
        return level
    }

    private func quietHours() throws -> SettingChange<QuietHours> {
        guard has("quiet") else { return .keep }
        guard let tree = try tree("quiet") else { return .remove }
        guard case .members = tree else { throw APIError.badRequest("quiet must be an object, or null for none") }
        return .set(
            try QuietHours.reading(
                from: tree["from"]?.text, to: tree["to"]?.text, timeZone: tree["timezone"]?.text))
    }

    private func mutedUntil() throws -> SettingChange<Int64> {
        guard has("muted_until_ms") else { return .keep }
        let until = try number("muted_until_ms", upTo: NotificationSettings.latestMute)
        return until.map { .set($0) } ?? .remove
    }
}

extension JSONTree {
    fileprivate static func members(of settings: NotificationSettings) -> [(String, JSONTree)] {
        let levels: [(String, JSONTree)] = [
            ("direct", .text(settings.direct.rawValue)), ("group", .text(settings.group.rawValue)),
            ("room", .text(settings.room.rawValue)),
        ]
        return [
            ("default", .ordered(levels)), ("quiet", settings.quiet.map { JSONTree($0) } ?? .null),
            ("muted_until_ms", settings.mutedUntil.map { .integer($0) } ?? .null),
        ]
    }

    private init(_ quiet: QuietHours) {
        self = .ordered([
            ("from", .text(QuietHours.text(ofMinute: quiet.from))), ("to", .text(QuietHours.text(ofMinute: quiet.to))),
            ("timezone", .text(quiet.timeZone)),
        ])
    }

    fileprivate init(_ record: ThreadNotificationRecord) {
        let settings = record.settings
        self = .ordered([
            ("thread_id", .text(record.thread.text)), ("level", settings.level.map { .text($0.rawValue) } ?? .null),
            ("muted_until_ms", settings.mutedUntil.map { .integer($0) } ?? .null),
        ])
    }
}
