extension ChangePage {
    /// Adds a subject as the stores' triggers name it: `u:` and a user's id, or `k:` and the hash of an API key.
    package mutating func add(subject: String) {
        if subject.hasPrefix("u:") { users.append(UserID(trusted: String(subject.dropFirst(2)))) }
        if subject.hasPrefix("k:") { apiKeys.append(TokenHash(String(subject.dropFirst(2)))) }
    }
}
