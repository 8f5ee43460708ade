/// Who finds a room, and who may become a member by themselves. The raw value is the name in tables, events and JSON.
package enum RoomVisibility: String, CaseIterable, Hashable, Sendable {
    /// Listed, and anybody joins. Titles are unique among public rooms.
    case `public`
    /// In no list; whoever knows the id joins.
    case unlisted
    /// For its members only, whom the owner, moderators or operators add. To others the room does not exist.
    case `private`

    /// The allowed names, for error texts.
    package static let names = "public, unlisted and private"
}
