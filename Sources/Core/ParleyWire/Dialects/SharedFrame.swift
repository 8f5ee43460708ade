package import NIOCore
package import ParleyModel

/// An event, ephemeral event or foreign event, encoded once for each encoding in use; every socket writes the same
/// bytes.
///
/// The bytes are complete unmasked WebSocket frames (RFC 6455 §5), or lines for the line listener; frames of several
/// events may be joined in one write. Immutable.
package struct SharedFrame: Sendable {
    /// The connection that the event came from. The direct dialect does not echo an event there; the others do.
    package let origin: ConnectionID?
    /// The event's position in its thread's log; `nil` if it is not in a log.
    package let position: Position?
    /// The user who types; `nil` for any other frame.
    package let typist: UserID?
    /// The message, for slow mode; `nil` for any other frame.
    package let sent: SentMark?
    /// The event, if it is about an earlier message; for members who do not see that message.
    private let change: Change?
    /// Indexed by `Encoding.index`.
    private let bytes: [ByteBuffer?]

    package init(_ event: LogEvent, for encodings: EncodingSet) {
        origin = event.origin
        position = event.position
        typist = nil
        sent = event.message.map { SentMark($0, at: event.milliseconds) }
        change = Change(event, encodings)
        bytes = Self.encode(for: encodings) { dialect in
            switch dialect {
            case .classic: ClassicCodec.encode(event)
            case .direct: DirectCodec.encode(event)
            case .line: LineCodec.encode(event)
            case .v1: V1Encoder.encode(event)
            }
        }
    }

    package init(_ event: EphemeralEvent, in thread: ThreadID, for encodings: EncodingSet) {
        origin = nil
        position = nil
        if case .typing(let user, _) = event { typist = user.id } else { typist = nil }
        sent = nil
        change = nil
        bytes = Self.encode(for: encodings) { dialect in
            switch dialect {
            case .classic, .direct: nil
            case .line: LineCodec.encode(event)
            case .v1: V1Encoder.encode(event, in: thread)
            }
        }
    }

    package init(_ event: ForeignEvent, for encodings: EncodingSet) {
        origin = nil
        position = nil
        typist = nil
        sent = nil
        change = nil
        bytes = Self.encode(for: encodings) { dialect in
            switch dialect {
            case .classic, .v1: ByteBuffer(bytes: event.json)
            case .direct, .line: nil
            }
        }
    }

    /// The notification of a user's name and profile, for v1 sockets.
    package init(_ user: User, _ profile: Profile) {
        origin = nil
        position = nil
        typist = nil
        sent = nil
        change = nil
        bytes = Self.encode(for: [Encoding(dialect: .v1), Encoding(dialect: .v1, compressed: true)]) { dialect in
            dialect == .v1 ? V1Encoder.encode(user, profile) : nil
        }
    }

    /// Returns the frame without content of messages below a seq; see `LogEvent.hidingMessages`.
    package func hidingMessages(below first: Int64) -> SharedFrame {
        change?.hidingMessages(below: first) ?? self
    }

    /// The bytes for a socket of this encoding: `nil` if its dialect does not represent the event, or if the encoding
    /// was not requested when the frame was made.
    package func bytes(for encoding: Encoding) -> ByteBuffer? {
        bytes[encoding.index]
    }

    /// An edit or a reaction, which some members must not receive as it is.
    private final class Change: Sendable {
        private let event: LogEvent
        private let encodings: EncodingSet

        /// - Returns: `nil` for an event that discloses nothing about another.
        init?(_ event: LogEvent, _ encodings: EncodingSet) {
            switch event.body {
            case .edited, .reaction: break
            case .message, .deleted, .joined, .left, .renamed, .role, .visibility: return nil
            }
            self.event = event
            self.encodings = encodings
        }

        /// - Returns: `nil` if the event has no such content.
        func hidingMessages(below first: Int64) -> SharedFrame? {
            let shown = event.hidingMessages(below: first)
            return shown.body == event.body ? nil : SharedFrame(shown, for: encodings)
        }
    }

    /// - Parameter payload: called at most once for each dialect.
    private static func encode(
        for encodings: EncodingSet, payload: (Dialect) -> ByteBuffer?
    ) -> [ByteBuffer?] {
        var bytes = [ByteBuffer?](repeating: nil, count: Encoding.count)
        for dialect in Dialect.allCases {
            let plain = Encoding(dialect: dialect)
            let compressed = Encoding(dialect: dialect, compressed: true)
            guard encodings.contains(plain) || encodings.contains(compressed), let payload = payload(dialect) else {
                continue
            }
            if dialect == .line {
                bytes[plain.index] = payload
                continue
            }
            for encoding in [plain, compressed] where encodings.contains(encoding) {
                bytes[encoding.index] = WebSocketFrame.text(payload, compressed: encoding.compressed)
            }
        }
        return bytes
    }
}
