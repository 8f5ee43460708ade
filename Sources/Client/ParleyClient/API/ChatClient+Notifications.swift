public import Foundation
import ParleyJSON

/// The user's settings for notifications, which all devices share.
///
/// These methods require a connection and throw ``ChatError/offline`` without one. The server does not report changes:
/// load settings when the app shows them.
extension ChatClient {
    // MARK: All threads

    /// Returns what notifies the user, with the threads that have settings of their own.
    /// - Throws: ``ChatError``.
    public func notificationSettings() async throws -> ChatNotificationSettings {
        try Self.settings(try await engine.call("GET", Self.ownPath))
    }

    /// Sets the messages that notify in threads without settings of their own. A level that is `nil` stays as it is.
    ///
    /// ```swift
    /// try await client.setNotifications(group: .mentions, room: .nothing)
    /// ```
    /// - Parameters:
    ///   - direct: The level for direct threads.
    ///   - group: The level for groups.
    ///   - room: The level for rooms.
    /// - Returns: All settings after the change.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func setNotifications(
        direct: ChatNotificationLevel? = nil, group: ChatNotificationLevel? = nil, room: ChatNotificationLevel? = nil
    ) async throws -> ChatNotificationSettings {
        let levels = JSONTree.object([
            "direct": direct.map { .text($0.rawValue) }, "group": group.map { .text($0.rawValue) },
            "room": room.map { .text($0.rawValue) },
        ])
        return try await change("default", levels)
    }

    /// Lets nothing notify until a date.
    /// - Parameter date: The date; `nil` ends the silence, and `Date.distantFuture` lets it last.
    /// - Returns: All settings after the change.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func muteNotifications(until date: Date?) async throws -> ChatNotificationSettings {
        try await change("muted_until_ms", Self.value(date))
    }

    /// Sets a time of the day in which nothing notifies.
    ///
    /// ```swift
    /// try await client.setQuietHours(ChatQuietHours(from: 22 * 60, to: 7 * 60))
    /// ```
    /// - Parameter hours: The time; `nil` for none.
    /// - Returns: All settings after the change.
    /// - Throws: ``ChatError``; the code is `badRequest` for values that are not allowed, such as a time zone that the
    ///   server does not know.
    @discardableResult
    public func setQuietHours(_ hours: ChatQuietHours?) async throws -> ChatNotificationSettings {
        try await change("quiet", hours?.json ?? .null)
    }

    private static let ownPath = ["v1", "me", "notifications"]

    private func change(_ field: String, _ value: JSONTree) async throws -> ChatNotificationSettings {
        let body = JSONTree.object([JSONTree.Member(field, value)])
        return try Self.settings(try await engine.call("PATCH", Self.ownPath, body: body))
    }

    private static func settings(_ tree: JSONTree) throws -> ChatNotificationSettings {
        guard let settings = ChatNotificationSettings(tree) else { throw ChatError.noAnswer("no settings") }
        return settings
    }

    private static func value(_ date: Date?) -> JSONTree { date.map { .integer($0.milliseconds) } ?? .null }

    // MARK: One thread

    /// Returns the user's settings for a thread.
    /// - Parameter threadID: The ID of a thread that the user belongs to.
    /// - Throws: ``ChatError``; the code is `notAMember` if the user does not belong to it.
    public func notifications(in threadID: ChatThread.ID) async throws -> ChatThreadNotifications {
        try Self.threadSettings(try await engine.call("GET", Self.path(threadID)))
    }

    /// Sets the messages of a thread that notify.
    ///
    /// ```swift
    /// try await client.setNotifications(.all, in: garden)
    /// ```
    /// - Parameters:
    ///   - level: The level; `nil` for the user's default.
    ///   - threadID: The ID of a thread that the user belongs to.
    /// - Returns: The settings after the change.
    /// - Throws: ``ChatError``; the code is `notAMember` if the user does not belong to it, and `conflict` with
    ///   settings for 1,000 other threads.
    @discardableResult
    public func setNotifications(
        _ level: ChatNotificationLevel?, in threadID: ChatThread.ID
    ) async throws -> ChatThreadNotifications {
        try await change("level", level.map { .text($0.rawValue) } ?? .null, in: threadID)
    }

    /// Lets nothing in a thread notify until a date. Moderators mute a user with ``mute(_:in:for:reason:)`` instead.
    /// - Parameters:
    ///   - threadID: The ID of a thread that the user belongs to.
    ///   - date: The date; `nil` ends the silence, and `Date.distantFuture` lets it last.
    /// - Returns: The settings after the change.
    /// - Throws: ``ChatError``; the code is `notAMember` if the user does not belong to it, and `conflict` with
    ///   settings for 1,000 other threads.
    @discardableResult
    public func muteNotifications(
        in threadID: ChatThread.ID, until date: Date?
    ) async throws -> ChatThreadNotifications {
        try await change("muted_until_ms", Self.value(date), in: threadID)
    }

    private static func path(_ threadID: ChatThread.ID) -> [String] {
        ["v1", "threads", threadID.rawValue, "notifications"]
    }

    private func change(
        _ field: String, _ value: JSONTree, in threadID: ChatThread.ID
    ) async throws -> ChatThreadNotifications {
        let body = JSONTree.object([JSONTree.Member(field, value)])
        return try Self.threadSettings(try await engine.call("PATCH", Self.path(threadID), body: body))
    }

    private static func threadSettings(_ tree: JSONTree) throws -> ChatThreadNotifications {
        guard let settings = ChatThreadNotifications(tree) else { throw ChatError.noAnswer("no settings") }
        return settings
    }
}
