public import Foundation
import ParleyJSON

/// The user's profile and sessions.
///
/// These methods require a connection and throw ``ChatError/offline`` without one.
extension ChatClient {
    // MARK: The user's own account

    /// Returns the user's own profile.
    /// - Throws: ``ChatError``.
    public func profile() async throws -> ChatUser { try await user(engine.call("GET", ["v1", "me"])) }

    /// Changes the name that other users see.
    /// - Parameter name: The display name, at most 150 characters; `nil` removes it.
    /// - Returns: The changed profile.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func setDisplayName(_ name: String?) async throws -> ChatUser { try await change("display_name", name) }

    /// Uploads a picture and makes it the user's avatar, which every user can download.
    /// - Parameter picture: A PNG, JPEG, GIF or WebP file of at most 8 MiB. The server does not scale pictures.
    /// - Returns: The changed profile.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func setAvatar(_ picture: LocalFile) async throws -> ChatUser {
        try await change("avatar_url", "/v1/attachments/\(engine.upload(picture, limit: 8 << 20))")
    }

    /// Removes the user's avatar.
    /// - Returns: The changed profile.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func removeAvatar() async throws -> ChatUser { try await change("avatar_url", nil) }

    /// Changes the user's password and ends all other sessions of the user.
    /// - Parameters:
    ///   - password: The new password, at least 8 characters.
    ///   - old: The current password.
    /// - Throws: ``ChatError``; the code is `forbidden` if the current password is wrong.
    public func changePassword(to password: String, from old: String) async throws {
        let body = JSONTree.object(["password": .text(password), "old_password": .text(old)])
        _ = try await engine.call("PATCH", ["v1", "me"], body: body)
    }

    private func change(_ field: String, _ value: String?) async throws -> ChatUser {
        let body = JSONTree.object([JSONTree.Member(field, value.map { .text($0) } ?? .null)])
        return try await user(engine.call("PATCH", ["v1", "me"], body: body))
    }

    private func user(_ tree: JSONTree) throws -> ChatUser {
        guard let user = ChatUser(tree) else { throw ChatError.noAnswer("no user") }
        return user
    }

    // MARK: Sessions

    /// Returns the user's sessions, newest first.
    /// - Throws: ``ChatError``.
    public func sessions() async throws -> [ChatSession] {
        var (all, cursor): ([ChatSession], String?) = ([], nil)
        repeat {
            let query = cursor.map { [("cursor", $0)] } ?? []
            let tree = try await engine.call("GET", ["v1", "me", "sessions"], query: query)
            for session in tree["sessions"]?.elements ?? [] {
                guard let id = session["id"]?.text else { continue }
                all.append(
                    ChatSession(
                        id: id, expires: Date(milliseconds: session["expires_ms"]?.milliseconds ?? 0),
                        isCurrent: session["current"]?.flag ?? false))
            }
            cursor = tree["next_cursor"]?.text
        } while cursor != nil
        return all
    }

    /// Ends all sessions except the client's own, and closes their sockets.
    /// - Throws: ``ChatError``.
    public func endOtherSessions() async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "sessions"])
    }

    /// Ends a session, for example that of a lost device, and closes its sockets.
    /// - Parameter id: The ``ChatSession/id`` of the session.
    /// - Throws: ``ChatError``; the code is `notFound` if the user has no such session.
    public func endSession(_ id: String) async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "sessions", id])
    }
}

/// A session of the user: one login on one device.
public struct ChatSession: Hashable, Sendable, Identifiable {
    /// The ID of the session. It is not the session's token.
    public let id: String
    /// The date the session expires.
    public let expires: Date
    /// A Boolean value that indicates whether this client uses the session.
    public let isCurrent: Bool

    /// Creates a session.
    /// - Parameters:
    ///   - id: The ID of the session.
    ///   - expires: The date the session expires.
    ///   - isCurrent: Whether this client uses the session.
    public init(id: String, expires: Date, isCurrent: Bool) {
        self.id = id
        self.expires = expires
        self.isCurrent = isCurrent
    }
}
