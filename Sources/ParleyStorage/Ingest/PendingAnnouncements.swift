package import ParleyModel

/// The latest pending outbox entries about the members and titles of threads. The tables were changed in the
/// transaction that added each entry.
///
/// No pending entry's event is stored yet, so in the log it follows every event without an entry that is stored now.
/// Such an event comes from a node of the previous version, which changed the tables directly, before or after the
/// entry was added. It is therefore not applied; the pending change is applied again in its place.
package struct PendingAnnouncements: Sendable {
    private struct Subject: Hashable {
        var thread: ThreadID
        /// Empty for the thread's title.
        var user: String
    }

    private struct Change {
        var id: Int64
        var fields: EventFields
    }

    /// Whether a user is a member.
    private var presences: [Subject: Change] = [:]
    /// The role of a member, or the thread's title.
    private var values: [Subject: Change] = [:]

    package init() {}

    /// The subject that pending entries are matched by: a user, or `""` for the thread's title. `nil` for kinds of
    /// events that have no pending entries.
    package static func subject(of fields: EventFields) -> String? {
        switch fields.kind {
        case .joined, .left, .role: fields.user.text
        case .renamed: ""
        default: nil
        }
    }

    /// Records a pending entry. Entries of one thread must be added in the order of their ids.
    package mutating func add(_ entry: OutboxEntry) {
        guard case .append(let body) = entry.content, let fields = EventFields(body),
            let user = Self.subject(of: fields)
        else { return }
        let (subject, change) = (Subject(thread: entry.thread, user: user), Change(id: entry.id, fields: fields))
        if fields.kind == .joined || fields.kind == .left {
            presences[subject] = change
            values[subject] = nil
        } else {
            values[subject] = change
        }
    }

    /// Removes the entry of a stored event.
    package mutating func settle(_ event: LogEvent) {
        guard let id = event.outboxID, let fields = EventFields(event.body), let user = Self.subject(of: fields)
        else { return }
        let subject = Subject(thread: event.thread, user: user)
        if presences[subject]?.id == id { presences[subject] = nil }
        if values[subject]?.id == id { values[subject] = nil }
    }

    /// Whether a user has left, and the event is still in the outbox.
    package func hasPendingLeave(_ user: String, of thread: ThreadID) -> Bool {
        presences[Subject(thread: thread, user: user)]?.fields.kind == .left
    }

    /// The changes to apply for an event without an outbox entry, in order.
    package func actions(of fields: EventFields, in thread: ThreadID) -> [EventFields] {
        guard let user = Self.subject(of: fields) else { return [fields] }
        let subject = Subject(thread: thread, user: user)
        let (presence, value) = (presences[subject]?.fields, values[subject]?.fields)
        guard presence != nil || value != nil else { return [fields] }
        let isSuperseded = presence != nil || fields.kind == value?.kind
        return (isSuperseded ? [] : [fields]) + [presence, value].compactMap { $0 }
    }
}
