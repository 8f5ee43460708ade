/// The part of a log from before their joining that new members of a room see. It applies when a membership begins (`HistoryStart`).
package enum RoomHistory: String, Hashable, Sendable, CaseIterable {
    /// The whole log.
    case all
    /// Nothing; the log begins with the member's own `joined` event.
    case sinceJoining = "since_joining"

    /// The allowed names, for error texts.
    package static let names = "all and since_joining"
}
