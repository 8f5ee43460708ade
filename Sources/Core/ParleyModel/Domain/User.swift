/// A person with an account.
package struct User: Hashable, Sendable {
    package let id: UserID
    /// 1 to 150 characters; unique.
    package let name: String

    package init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }

    /// A stand-in for an erased user: the id without a person. No account can have this name, since names contain no
    /// colon.
    package static func erased(_ id: UserID) -> User {
        User(id: id, name: erasedPrefix + id.text)
    }

    /// The prefix of an erased user's name, followed by their id.
    package static let erasedPrefix = "erased:"
}
