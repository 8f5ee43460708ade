extension LogEvent {
    /// The kind of an event. The raw value is its name in tables, reports, Redis and the v1 protocol.
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
