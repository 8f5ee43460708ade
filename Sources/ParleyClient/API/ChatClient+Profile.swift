public import Foundation
import ParleyJSON

/// These calls need a connection; without one they throw ``ChatError/offline``.
extension ChatClient {
    // MARK: The user's own account

    /// The user's own profile.
    /// - Throws: ``ChatError``.
    public func profile() async throws -> ChatUser { try await user(engine.call("GET", ["v1", "me"])) }

    /// Changes the name that others see.
    /// - Parameter name: At most 150 characters; `nil` for none.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func setDisplayName(_ name: String?) async throws -> ChatUser { try await change("display_name", name) }

    /// Uploads a picture, and makes it the user's avatar; every user may then download it.
    /// - Parameter picture: PNG, JPEG, GIF or WebP, at most 8 MiB. Scale it before; the server does not.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func setAvatar(_ picture: LocalFile) async throws -> ChatUser {
        try await change("avatar_url", "/v1/attachments/\(engine.upload(picture, limit: 8 << 20))")
    }

    /// Removes the user's avatar.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func removeAvatar() async throws -> ChatUser { try await change("avatar_url", nil) }

    /// Changes the user's password. All other sessions of the user end.
    /// - Parameters:
    ///   - password: At least 8 characters.
    ///   - old: The present one.
    /// - Throws: ``ChatError``; `forbidden` for a wrong old password.
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

    /// Where the user is logged in, the newest first.
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

    /// Ends all sessions except the one that this client uses; their sockets are closed.
    /// - Throws: ``ChatError``.
    public func endOtherSessions() async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "sessions"])
    }

    /// Ends a session, for example of a device that is lost; its sockets are closed.
    /// - Throws: ``ChatError``; `notFound` if the user has no such session.
    public func endSession(_ id: String) async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "sessions", id])
    }
}

/// A login of the user.
public struct ChatSession: Hashable, Sendable, Identifiable {
    /// Names the session; it is not the token.
    public let id: String
    /// When it ends by itself.
    public let expires: Date
    /// Whether it is the one that this client uses.
    public let isCurrent: Bool
}
