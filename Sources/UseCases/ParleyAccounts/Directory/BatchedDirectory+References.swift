package import ParleyModel

/// The one place where ids and names that others give are told apart.
extension BatchedDirectory {
    /// Resolves a text to an id or a name of this site. A name is in the form in which names are stored.
    package func reference(_ text: String) -> UserReference {
        // First of all: digits in full width must not become a name of the form of ids afterwards.
        let reference = UserReference(UsernameRules.normalized(text) ?? text, idForm: idForm)
        guard reference.id == nil, let name = reference.name, let normal = UsernameRules.normalized(name) else {
            return reference
        }
        return UserReference(name: normal)
    }

    /// The user to whom a reference refers; `nil` if there is none.
    ///
    /// Names are never cached: one may belong to another user by now.
    /// - Parameter fresh: `false` allows a cached user if the reference is an id.
    package func user(_ reference: UserReference, fresh: Bool = true) async throws(StoreError) -> User? {
        try await account(reference, fresh: fresh)?.user
    }

    /// As `user`, with the user's suspension.
    package func account(_ reference: UserReference, fresh: Bool = true) async throws(StoreError) -> Account? {
        if let id = reference.id, let account = try await account(id, fresh: fresh) { return account }
        guard let name = reference.name else { return nil }
        return try await account(named: name, fresh: true)
    }

    /// Whether a text is always an id, so that sign-up refuses it as a name.
    package func isAlwaysID(_ text: String) -> Bool { idForm.contains(text) }
}
