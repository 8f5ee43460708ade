import Logging
import ParleyAccounts
import ParleyModel

/// What users change of themselves.
struct AccountChanger: Sendable {
    private let services: RESTServices

    init(_ services: RESTServices) {
        self.services = services
    }

    /// Changes what the fields name: `display_name` and `avatar_url`, which `null` or an empty text takes back, and
    /// `password`, which ends all other sessions.
    func change(_ identity: Identity, _ fields: Fields) async throws -> Profile {
        let user = identity.user
        var profile = try await services.accounts.profiles(of: [user.id])[user.id] ?? Profile()
        let old = profile
        func text(_ name: String) throws -> String? {
            try fields.textIfPresent(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if fields.has("display_name") { profile.displayName = try text("display_name") }
        if fields.has("avatar_url") { profile.avatarURL = try text("avatar_url") }
        if let flaw = profile.flaw { throw APIError.badRequest(flaw) }
        let password = try fields.textIfPresent("password")
        if let password {
            // It would outlive the session's end, and the account's, in Django.
            guard !identity.isForeign else {
                throw APIError(.forbidden, "the password is Django's; change it there")
            }
            let hash = try await services.login.hash(password)
            try await services.accounts.setPasswordHash(hash, of: user.id)
            let ended = try await services.accounts.revokeSessions(of: user.id, except: identity.session)
            await services.login.announce(ended, of: user.id)
        }
        if profile != old { try await services.accounts.setProfile(profile, of: user.id) }
        return profile
    }

    /// Erases a user: all sessions are void and all sockets closed when this returns or soon after; then the rooms are
    /// told that they have left. A log that is away misses that, since the store knows it.
    func erase(_ user: User, logger: Logger) async throws {
        let memberships = try await services.directory.memberships(of: user.id, fresh: true)
        guard try await services.accounts.erase(user.id, at: services.clock.milliseconds) else { return }
        services.directory.forget(user: user)
        await services.login.announce([], of: user.id, isErased: true)
        services.directory.invalidate(.erased, of: user.id)
        services.bus.publish(.erased, to: user.id)
        for thread in memberships.map(\.thread) where thread.kind == .room {
            do {
                _ = try await services.log.append(
                    EventDraft(thread: thread.id, body: .left(.erased(user.id), by: user.id)))
            } catch {
                logger.warning(
                    "a room was not told of a user's erasure",
                    metadata: ["thread": .string(thread.id.text), "user": .string(user.id.text)])
            }
        }
    }
}
