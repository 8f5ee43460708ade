import Foundation
import ParleyClient
import ParleyJSON

/// Settings for notifications.
extension FakeServerState {
    /// The maximum number of threads for which a user has settings.
    static let maximumThreadSettings = 1000

    func settings(of user: String) -> ChatNotificationSettings {
        notificationSettings[user] ?? ChatNotificationSettings()
    }

    private func settings(of user: String, in thread: String) -> ChatThreadNotifications {
        let id = ChatThread.ID(thread)
        return settings(of: user).threads.first { $0.threadID == id } ?? ChatThreadNotifications(threadID: id)
    }

    /// Ends the settings of a user for a thread, as the end of the membership does.
    mutating func endSettings(of user: String, in thread: String) {
        notificationSettings[user]?.threads.removeAll { $0.threadID.rawValue == thread }
    }

    mutating func answerSettings(_ call: FakeCall, _ user: String) -> TransportResponse {
        guard call.path.count == 3 else { return Self.missing }
        if call.method == "PATCH" {
            var settings = settings(of: user)
            guard settings.change(call.body) else { return Self.refusal(400, .badRequest) }
            notificationSettings[user] = settings
        }
        return Self.answer(200, settings(of: user).json)
    }

    mutating func answerThreadSettings(_ call: FakeCall, _ user: String, _ room: FakeRoom) -> TransportResponse {
        guard room.members[user] != nil else { return Self.refusal(403, .notAMember) }
        var own = settings(of: user, in: room.id)
        guard call.method == "PATCH" else { return Self.answer(200, own.json) }
        guard own.change(call.body) else { return Self.refusal(400, .badRequest) }
        // A silence that is over leaves nothing that has an effect.
        if own.level == nil, own.mutedUntil.map({ $0 <= clock.date }) == true { own.mutedUntil = nil }
        var settings = settings(of: user)
        settings.threads.removeAll { $0.threadID == own.threadID }
        if own.level != nil || own.mutedUntil != nil {
            guard settings.threads.count < Self.maximumThreadSettings else { return Self.refusal(409, .conflict) }
            settings.threads.append(own)
            settings.threads.sort { $0.threadID < $1.threadID }
        }
        notificationSettings[user] = settings
        return Self.answer(200, own.json)
    }
}

extension ChatNotificationSettings {
    /// Takes over the fields of a change.
    /// - Returns: Whether all values are allowed.
    fileprivate mutating func change(_ body: JSONTree) -> Bool {
        for level in body["default"]?.pairs ?? [] {
            guard let value = ChatNotificationLevel(level.value), value != .other else { return false }
            switch level.key {
            case "direct": direct = value
            case "group": group = value
            case "room": room = value
            default: break
            }
        }
        if let hours = body["quiet"] {
            quietHours = ChatQuietHours(hours)
            guard hours == .null || quietHours?.isAllowed == true else { return false }
        }
        guard let date = body["muted_until_ms"] else { return true }
        mutedUntil = Date(date)
        return date == .null || mutedUntil != nil
    }

    fileprivate var json: JSONTree {
        let levels = JSONTree.object([
            "direct": .text(direct.rawValue), "group": .text(group.rawValue), "room": .text(room.rawValue),
        ])
        return .object([
            "default": levels, "quiet": quietHours?.json ?? .null,
            "muted_until_ms": mutedUntil.map { .integer($0.milliseconds) } ?? .null,
            "threads": .array(threads.map(\.json)),
        ])
    }
}

extension ChatThreadNotifications {
    /// Takes over the fields of a change.
    /// - Returns: Whether all values are allowed.
    fileprivate mutating func change(_ body: JSONTree) -> Bool {
        if let value = body["level"] {
            level = ChatNotificationLevel(value)
            guard value == .null || (level != nil && level != .other) else { return false }
        }
        guard let date = body["muted_until_ms"] else { return true }
        mutedUntil = Date(date)
        return date == .null || mutedUntil != nil
    }

    fileprivate var json: JSONTree {
        .object([
            "thread_id": .text(threadID.rawValue), "level": level.map { .text($0.rawValue) } ?? .null,
            "muted_until_ms": mutedUntil.map { .integer($0.milliseconds) } ?? .null,
        ])
    }
}

extension ChatNotificationLevel {
    fileprivate init?(_ tree: JSONTree) {
        guard let text = tree.text else { return nil }
        self.init(rawValue: text)
    }
}

extension ChatQuietHours {
    fileprivate var isAllowed: Bool {
        let isName = timeZone == "UTC" || timeZone.contains("/")
        return from != to && isName && TimeZone(identifier: timeZone) != nil
    }
}

extension Date {
    /// - Returns: `nil` for what is no date in milliseconds until the end of the year 9999.
    fileprivate init?(_ tree: JSONTree) {
        guard let value = tree.integer, (0...Date.distantFuture.milliseconds).contains(value) else { return nil }
        self.init(milliseconds: value)
    }
}
