package import ParleyModel

/// The last words that the outbox has still to tell about who is in a thread and what it is called. The tables were
/// changed when each was put there.
///
/// None of their events is stored, so in the log each comes after every event without an entry that is stored now. Such
/// an event, of a node of the version before, does therefore not do what it says: the pending word is carried out once
/// more in its place, since that node has changed the tables by itself, before the word or after it.
package struct PendingAnnouncements: Sendable {
    private struct Subject: Hashable {
        var thread: ThreadID
        /// Empty for the thread's title.
        var user: String
    }

    private struct Word {
        var id: Int64
        var fields: EventFields
    }

    /// Whether a user is in or out.
    private var presences: [Subject: Word] = [:]
    /// The role of a user who is in, or the title.
    private var values: [Subject: Word] = [:]

    package init() {}

    /// Whom an event is about for which there may be pending words: a user, or `""` for the thread's title; `nil` for
    /// what words are no question of.
    package static func subject(of fields: EventFields) -> String? {
        switch fields.kind {
        case "joined", "left", "role": fields.user.text
        case "renamed": ""
        default: nil
        }
    }

    /// Notes a pending entry. Those of a thread are to come in the order of their ids.
    package mutating func add(_ entry: OutboxEntry) {
        guard case .append(let body) = entry.content, let fields = EventFields(body),
            let user = Self.subject(of: fields)
        else { return }
        let (subject, word) = (Subject(thread: entry.thread, user: user), Word(id: entry.id, fields: fields))
        if fields.kind == "joined" || fields.kind == "left" {
            presences[subject] = word
            values[subject] = nil
        } else {
            values[subject] = word
        }
    }

    /// The event of an entry is stored: it is pending no more.
    package mutating func settle(_ event: LogEvent) {
        guard let id = event.outboxID, let fields = EventFields(event.body), let user = Self.subject(of: fields)
        else { return }
        let subject = Subject(thread: event.thread, user: user)
        if presences[subject]?.id == id { presences[subject] = nil }
        if values[subject]?.id == id { values[subject] = nil }
    }

    /// A user is out, and the log is still to be told.
    package func isOut(_ user: String, of thread: ThreadID) -> Bool {
        presences[Subject(thread: thread, user: user)]?.fields.kind == "left"
    }

    /// What is to be carried out for an event without an entry, in this order.
    package func actions(of fields: EventFields, in thread: ThreadID) -> [EventFields] {
        guard let user = Self.subject(of: fields) else { return [fields] }
        let subject = Subject(thread: thread, user: user)
        let (presence, value) = (presences[subject]?.fields, values[subject]?.fields)
        guard presence != nil || value != nil else { return [fields] }
        let isOutdone = presence != nil || fields.kind == value?.kind
        return (isOutdone ? [] : [fields]) + [presence, value].compactMap { $0 }
    }
}
