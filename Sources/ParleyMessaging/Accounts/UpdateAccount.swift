package import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Changes what a user shows of themselves, and the password.
    /// - Parameters:
    ///   - change: makes the new profile of the present one.
    ///   - password: a new one, which ends all other sessions, and everything that was opened without one; `nil`: as it
    ///     is.
    /// - Returns: the profile as it is now.
    /// - Throws: `invalid`; `forbidden` for a password that another system keeps; `unavailable`.
    package func updateAccount(
        _ identity: Identity, password: String?, profile change: (inout Profile) throws -> Void
    ) async throws(MessagingError) -> Profile {
        let user = identity.user
        let old = try await commit { try await accounts.profiles(of: [user.id])[user.id] ?? Profile() }
        let profile = try await commit {
            var profile = old
            try change(&profile)
            return profile
        }
        if let flaw = profile.flaw { throw .invalid(flaw) }
        if let password {
            // It would outlive the session's end, and the account's, in Django.
            guard !identity.isForeign else { throw .forbidden("the password is Django's; change it there") }
            try await setPassword(password, of: user, keeping: identity.session)
        }
        if profile != old { try await commit { try await accounts.setProfile(profile, of: user.id) } }
        return profile
    }

    /// Gives a user another password, and ends what was opened with the old one.
    /// - Parameter kept: a session that goes on.
    /// - Throws: `invalid` and `unavailable`.
    package func setPassword(
        _ password: String, of user: User, keeping kept: TokenHash? = nil
    ) async throws(MessagingError) {
        let ended = try await commit {
            try await store.setPassword(try await hash(password), of: user.id, keeping: kept).value
        }
        tellEnded(ended, of: user.id)
        tell(.changed, user.id)
    }
}
