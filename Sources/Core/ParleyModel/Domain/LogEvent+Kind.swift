extension LogEvent {
    /// The kinds of events. The raw value is the name in tables, in reports, in Redis and on the wire of v1.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case message, edited, deleted, reaction, joined, left, renamed, role, visibility
    }
}

extension LogEvent.Body {
    package var kind: LogEvent.Kind {
        switch self {
        case .message: .message
        case .edited: .edited
        case .deleted: .deleted
        case .reaction: .reaction
        case .joined: .joined
        case .left: .left
        case .renamed: .renamed
        case .role: .role
        case .visibility: .visibility
        }
    }
}
