/// What became of a message after it entered the log, as far as the store knows.
package struct MessageStatus: Hashable, Sendable {
    /// The date of the last edit, Unix milliseconds; `nil` if the text is the first one.
    package var editedMilliseconds: Int64?
    /// Somebody deleted it: text and parts are gone, its place in the log stays.
    package var isDeleted: Bool
    /// Its author was erased: text, parts and names are gone, its place in the log stays.
    package var isErased: Bool
    /// Who reacts to it now, by emoji in the order of its bytes.
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
