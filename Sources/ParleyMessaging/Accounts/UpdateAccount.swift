package import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Changes what a user shows of themselves, and the password.
    /// - Parameters:
    ///   - change: makes the new profile of the present one.
    ///   - password: a new one, which ends all other sessions, and everything that was opened without one; `nil`: as it
    ///     is.
    ///   - confirm: sees that the user knows the old password; called for a new one that can be one, before anything is
    ///     changed. Answers the credentials version that it has seen, with which the change is made or not at all; `nil`:
    ///     with any.
    /// - Returns: the profile as it is now.
    /// - Throws: `invalid`; `forbidden` for a password that another system keeps, or an old one that is not right;
    ///   `rateLimited`, `unavailable`.
    package func updateAccount(
        _ identity: Identity, password: String?, confirm: () async throws(AccountError) -> Int64?,
        profile change: (inout Profile) throws -> Void
    ) async throws(MessagingError) -> Profile {
        let user = identity.user
        let old = try await commit { try await accounts.profiles(of: [user.id])[user.id] ?? Profile() }
        let profile = try await commit {
            var profile = old
            try change(&profile)
            return profile
        }
        if let violation = profile.violation { throw .invalid(violation) }
        if let password {
            // It would outlive the session's end, and the account's, in Django.
            guard !identity.isForeign else { throw .forbidden("the password is Django's; change it there") }
            if let violation = PasswordRules.violation(in: password) { throw .invalid(violation) }
            let version: Int64?
            do {
                version = try await confirm()
            } catch .wrongCredentials {
                throw .forbidden("old_password is missing or wrong")
            } catch {
                throw MessagingError(error)
            }
            // Together, or one that broke off in between could not be repeated: the old password would be wrong.
            try await setPassword(password, and: profile, of: user, keeping: identity.session, ifVersion: version)
        } else if profile != old {
            try await commit { try await accounts.setProfile(profile, of: user.id) }
        }
        return profile
    }

    /// Gives a user another password, and ends what was opened with the old one.
    /// - Parameters:
    ///   - profile: a new one as well; `nil`: as it is.
    ///   - kept: a session that goes on.
    ///   - version: the credentials version that allows it; `nil`: any.
    /// - Throws: `invalid` and `unavailable`; `forbidden` if the credentials have been changed since that version.
    package func setPassword(
        _ password: String, and profile: Profile? = nil, of user: User, keeping kept: TokenHash? = nil,
        ifVersion version: Int64? = nil
    ) async throws(MessagingError) {
        let ended = try await commit {
            try await store.setPassword(
                try await hash(password), and: profile, of: user.id, keeping: kept, ifVersion: version
            ).value
        }
        guard let ended else { throw .forbidden("the password has been changed meanwhile, or there is no such user") }
        tellEnded(ended, of: user.id)
        tell(.changed, user.id)
    }
}
