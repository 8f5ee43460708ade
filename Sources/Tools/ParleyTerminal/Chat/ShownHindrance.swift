/// A reason for which the user may not write in a conversation, besides a mute.
package enum ShownHindrance: String, Hashable, Sendable {
    case archived
    case blocked
    case moderators
    case readOnly = "read_only"

    /// The label in the header.
    var label: String {
        switch self {
        case .archived: "archived"
        case .blocked: "blocked"
        case .moderators: "only moderators write"
        case .readOnly: "read-only"
        }
    }

    /// Returns the notice for a reason that has begun, or for the end of one. It is not safe to print.
    /// - Parameters:
    ///   - hindrance: The reason; `nil` if the user may write again.
    ///   - place: The conversation in a sentence, for example its title.
    package static func notice(_ hindrance: ShownHindrance?, in place: String) -> String {
        switch hindrance {
        case .archived: "You cannot write in \(place): it is archived."
        case .blocked: "No messages are possible between you and this user."
        case .moderators: "You cannot write in \(place): only its owner and moderators can."
        case .readOnly: "You cannot write in \(place): you may only read."
        case nil: "You can write in \(place) again."
        }
    }
}
