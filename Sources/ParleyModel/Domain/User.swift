/// A person with an account.
package struct User: Hashable, Sendable {
    package let id: UserID
    /// 1 to 150 characters, unique.
    package let name: String

    package init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }

    /// What is left of a user who was erased: an id without a person. No account can be made with this name, since
    /// names have no colon.
    package static func erased(_ id: UserID) -> User {
        User(id: id, name: erasedPrefix + id.text)
    }

    /// What the name of an erased user begins with; their id follows.
    package static let erasedPrefix = "erased:"
}
