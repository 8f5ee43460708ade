/// A reference to a user in a request, a command or an import. All of them accept an id or a name in the same form:
///
/// - `id:…` is an id and `name:…` is a name. Neither ids nor usernames contain a colon.
/// - A value of the site's `UserIDForm` is an id.
/// - Any other value is an id if a user has it, and a name otherwise.
package struct UserReference: Hashable, Sendable {
    /// The id to look for first; `nil` if only a name is possible.
    package let id: UserID?
    /// The name to look for if no user has the id; `nil` if only an id is possible.
    package let name: String?

    /// Refers to the user with this id only, as a number in JSON does.
    package init(id: UserID) {
        self.id = id
        name = nil
    }

    /// Refers to the user with this name only.
    package init(name: String) {
        id = nil
        self.name = name
    }

    /// - Parameter text: The reference. A value that cannot be an id, such as `id:?` or an empty text, refers to no user.
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

    /// Whether the reference can match a user at all.
    package var isPossible: Bool { id != nil || name != nil }

    private static let idPrefix = "id:"
    private static let namePrefix = "name:"
}
