/// A person with an account.
package struct User: Hashable, Sendable {
    package let id: UserID
    /// The username, 1 to 150 characters; unique.
    package let name: String

    package init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }

    /// Returns a stand-in for an erased user, which has only the id. No account can have this name, since usernames contain no colon.
    package static func erased(_ id: UserID) -> User {
        User(id: id, name: erasedPrefix + id.text)
    }

    /// The prefix of an erased user's name. The id follows it.
    package static let erasedPrefix = "erased:"
}
