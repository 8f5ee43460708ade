import ParleyJSON

extension OutboxEntry.Content {
    private static let forgetThreadKind = "forget_thread"
    private static let redactUserKind = "redact_user"

    /// The stored form: the kind, and the rest as a JSON object. The kind of an `append` is its event's.
    package var stored: (kind: String, payload: String) {
        switch self {
        case .append(let body):
            // The outbox never holds a message, which has no `EventFields`.
            let fields = EventFields(body)
            let payload = JSONTree.object([
                "user_id": (fields?.user.text).map(JSONTree.text),
                "user_name": (fields?.userName).flatMap { $0.isEmpty ? nil : JSONTree.text($0) },
                "by_id": (fields?.by?.text).map(JSONTree.text),
                "text": (fields?.text).map(JSONTree.text),
            ])
            return (fields?.kind ?? "message", payload.canonical)
        case .forgetThread: return (Self.forgetThreadKind, "{}")
        case .redactUser(let user):
            return (Self.redactUserKind, JSONTree.object(["user_id": .text(user.text)]).canonical)
        case .unreadable(let kind): return (kind, "{}")
        }
    }

    /// `unreadable` if this version does not know the kind.
    package init(storedKind kind: String, payload: String) {
        if kind == Self.forgetThreadKind {
            self = .forgetThread
            return
        }
        let tree = try? JSONTree(parsing: payload)
        guard let user = tree?["user_id"]?.text.flatMap({ UserID($0) }) else {
            self = .unreadable(kind: kind)
            return
        }
        if kind == Self.redactUserKind {
            self = .redactUser(user)
            return
        }
        let fields = EventFields(
            kind: kind, user: user, userName: tree?["user_name"]?.text ?? "",
            by: tree?["by_id"]?.text.flatMap { UserID($0) }, text: tree?["text"]?.text)
        self = fields.body.map { .append($0) } ?? .unreadable(kind: kind)
    }
}
