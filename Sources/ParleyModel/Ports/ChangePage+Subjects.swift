extension ChangePage {
    /// Adds a subject in the notation of the stores' triggers: `u:` and a user id, or `k:` and the hash of an API key.
    package mutating func add(subject: String) {
        if subject.hasPrefix("u:") { users.append(UserID(trusted: String(subject.dropFirst(2)))) }
        if subject.hasPrefix("k:") { apiKeys.append(TokenHash(String(subject.dropFirst(2)))) }
    }
}
