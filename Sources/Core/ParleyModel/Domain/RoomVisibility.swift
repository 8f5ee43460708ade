/// Who finds a room, and who may join it. The raw value is the name in tables, events and JSON.
package enum RoomVisibility: String, CaseIterable, Hashable, Sendable {
    /// The room is listed, and any user may join it. Titles are unique among public rooms.
    case `public`
    /// The room is in no list. Any user who knows its id may join it.
    case unlisted
    /// The room is for its members only, whom the owner, moderators or operators add. To others it does not exist.
    case `private`

    /// The allowed names, for error texts.
    package static let names = "public, unlisted and private"
}
