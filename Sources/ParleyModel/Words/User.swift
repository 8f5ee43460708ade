/// A person with an account.
package struct User: Hashable, Sendable {
    package let id: UserID
    /// 1 to 150 characters, unique.
    package let name: String

    package init(id: UserID, name: String) {
        self.id = id
        self.name = name
    }
}
