/// An invitation of the user. Names are unchanged from the server.
package struct ShownInvitation: Hashable, Sendable {
    /// The ID of the room.
    package var id: String
    package var title: String
    /// The name of the user who has invited this one.
    package var by: String

    package init(id: String, title: String, by: String) {
        self.id = id
        self.title = title
        self.by = by
    }

    /// The notice for a new invitation. It is not safe to print.
    package var notice: String { "\(by) invites you to \(title): /accept or /decline \(title); /my-invitations" }
}
