/// The name of a user in a request, a command or an import. Every caller that accepts an id or a name accepts this:
///
/// - `id:…` is an id, `name:…` is a name. Neither an id nor a username contains a colon.
/// - A value of the site's `UserIDForm` is an id.
/// - Anything else is an id if a user has it, otherwise a name.
package struct UserReference: Hashable, Sendable {
    /// The user with this id is meant, if there is one.
    package let id: UserID?
    /// Otherwise the user of this name is meant. `nil` if only an id can be meant.
    package let name: String?

    /// Exactly the user with this id, as a number in JSON means it.
    package init(id: UserID) {
        self.id = id
        name = nil
    }

    /// Exactly the user of this name.
    package init(name: String) {
        id = nil
        self.name = name
    }

    /// - Parameter text: a value that cannot be an id, such as `id:?` or an empty one, refers to no user.
    package init(_ text: String, idForm: UserIDForm) {
        if text.utf8.starts(with: Self.idPrefix.utf8) {
            id = UserID(String(text.dropFirst(Self.idPrefix.count)))
            name = nil
        } else if text.utf8.starts(with: Self.namePrefix.utf8) {
            id = nil
            let rest = text.dropFirst(Self.namePrefix.count)
            name = rest.isEmpty ? nil : String(rest)
        } else {
            id = UserID(text)
            name = text.isEmpty || idForm.contains(text) ? nil : text
        }
    }

    /// Whether it can refer to a user at all.
    package var isPossible: Bool { id != nil || name != nil }

    private static let idPrefix = "id:"
    private static let namePrefix = "name:"
}
