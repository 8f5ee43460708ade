import ParleyModel

/// The `type` of log events.
enum EventName {
    static func of(_ body: LogEvent.Body) -> String {
        switch body {
        case .message: "message"
        case .edited: "edited"
        case .deleted: "deleted"
        case .reaction: "reaction"
        case .joined: "joined"
        case .left: "left"
        case .renamed: "renamed"
        case .role: "role"
        }
    }
}
