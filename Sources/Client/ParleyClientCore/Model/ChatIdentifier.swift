/// The ID of a thread, a message or a user: ``ChatThread/ID``, ``ChatMessage/ID`` or ``ChatUser/ID``.
///
/// The kinds are distinct types, so the compiler finds an ID that is passed in the wrong place. The text of an ID is its
/// ``RawRepresentable/rawValue``, and a literal is an ID:
///
/// ```swift
/// let garden: ChatThread.ID = "0190f3a2"
/// let saved = ChatThread.ID(rawValue: defaults.string(forKey: "thread") ?? "")
/// ```
///
/// IDs are compared as texts, and encoded as such.
public protocol ChatIdentifier: RawRepresentable, Hashable, Sendable, Codable, Comparable, ExpressibleByStringLiteral,
    LosslessStringConvertible
where RawValue == String {
    /// Creates an ID from its text.
    /// - Parameter rawValue: The text, as the server and the client wrote it.
    init(rawValue: String)
}

extension ChatIdentifier {
    /// Creates an ID from its text.
    /// - Parameter description: The text.
    public init(_ description: String) { self.init(rawValue: description) }

    /// Creates an ID from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The text of the ID.
    public var description: String { rawValue }

    /// Compares the texts of two IDs.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
