import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Changes the caller's profile and password.
    /// - Parameters:
    ///   - change: Makes the new profile from the current one.
    ///   - password: A new password, which ends all other sessions and everything opened without one; `nil` keeps the current password.
    ///   - confirm: Verifies the old password. Called before anything is changed, if the new password is valid. Returns the
    ///     credentials version that it has checked, and the change is made only for that version; `nil` for any version.
    /// - Returns: The profile after the change.
    /// - Throws: `invalid`; `forbidden` if another system manages the password, if the user may not set one, or if the old one
    ///   is wrong; `notFound` if the avatar was removed in the meantime; `rateLimited`, `unavailable`.
    package func updateAccount(
        of caller: Caller, password: String?, confirm: () async throws -> Int64?,
        profile change: (inout Profile) throws -> Void
    ) async throws(MessagingError) -> Profile {
        let user = caller.user
        let old = try await commit { try await ports.accounts.profiles(of: [user.id])[user.id] ?? Profile() }
        let profile = try await commit {
            var profile = old
            try change(&profile)
            return profile
        }
        // Unchanged fields may have been set under other rules, which must not prevent the user from changing the other fields.
        let changed = Profile(
            displayName: profile.displayName == old.displayName ? nil : profile.displayName,
            avatarURL: profile.avatarURL == old.avatarURL ? nil : profile.avatarURL)
        if let violation = changed.violation { throw .invalid(violation) }
        // Everyone who shares a thread with the user is notified.
        if profile != old { try await charge(caller) }
        if let password {
            // A password set here for a Django account would outlive the session and the account.
            guard caller.identity?.isForeign != true else {
                throw .forbidden("the password is managed by Django; change it there")
            }
            if let violation = PasswordRules.violation(in: password) { throw .invalid(violation) }
            let version: Int64?
            do {
                version = try await confirm()
            } catch AccountError.wrongCredentials {
                throw .forbidden("old_password is missing or wrong")
            } catch {
                throw MessagingError(error)
            }
            // A single transaction is needed: after a partial change, a retry would fail because the old password would be wrong.
            try await setPassword(
                password, and: profile == old ? nil : profile, of: user, keeping: caller.identity?.session,
                ifVersion: version, by: nil)
        } else if profile != old {
            guard try await commit({ try await ports.accounts.setProfile(profile, of: user.id) }) else {
                throw MessagingError(StoreError.noAvatar)
            }
        }
        if profile != old {
            ports.directory.forget(user: user)
            ports.bus.publish(.changed, to: .everyone)
        }
        return profile
    }

    /// Replaces a user's password at an operator's request, and ends everything opened with the old one.
    /// - Throws: `invalid`; `forbidden` if there is no such user; `unavailable`.
    package func setPassword(
        _ password: String, of user: User, by requester: Operator
    ) async throws(MessagingError) {
        try await setPassword(password, and: nil, of: user, keeping: nil, ifVersion: nil, by: requester.actor)
    }

    /// - Parameters:
    ///   - profile: A profile to set in the same transaction; `nil` keeps the current one.
    ///   - kept: A session that continues.
    ///   - version: The credentials version that was checked; `nil` for any.
    ///   - actor: The operator; `nil` for the user.
    private func setPassword(
        _ password: String, and profile: Profile?, of user: User, keeping kept: TokenHash?, ifVersion version: Int64?,
        by actor: AuditActor?
    ) async throws(MessagingError) {
        let ended = try await commit {
            try await ports.state.setPassword(
                try await hash(password), and: profile, of: user.id, keeping: kept, ifVersion: version,
                by: actor
            ).value
        }
        guard let ended else { throw .forbidden("the password was changed concurrently, or there is no such user") }
        notifySessionsEnded(ended, of: user.id)
        notify(.changed, user.id)
    }
}
