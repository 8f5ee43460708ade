/// What a new member of a room sees of the time before. It applies when a membership begins (`HistoryStart`).
package enum RoomHistory: String, Hashable, Sendable, CaseIterable {
    /// The whole log.
    case all
    /// What follows the member's own `joined` event.
    case sinceJoining = "since_joining"

    /// The allowed names, for error texts.
    package static let names = "all and since_joining"
}
