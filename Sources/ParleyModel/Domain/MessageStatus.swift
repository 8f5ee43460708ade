/// What happened to a message after it entered the log, according to the store.
package struct MessageStatus: Hashable, Sendable {
    /// When the text was last edited, in Unix milliseconds; `nil` if it never was.
    package var editedMilliseconds: Int64?
    /// Deleted: text and parts are gone, the position in the log remains.
    package var isDeleted: Bool
    /// The author was erased: text, parts and names are gone, the position in the log remains.
    package var isErased: Bool
    /// Current reactions, one element for each emoji, sorted by the emoji's bytes.
    package var reactions: [ReactionCount]

    package init(
        editedMilliseconds: Int64? = nil, isDeleted: Bool = false, isErased: Bool = false,
        reactions: [ReactionCount] = []
    ) {
        self.editedMilliseconds = editedMilliseconds
        self.isDeleted = isDeleted
        self.isErased = isErased
        self.reactions = reactions
    }
}
