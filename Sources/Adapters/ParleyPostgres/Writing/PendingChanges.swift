import ParleyModel
import ParleyStorage

/// The changes of a batch to messages, collected so that each kind of change needs one statement. If a message has
/// several edits, or a user several identical reactions to it, only the last is written.
struct PendingChanges {
    private struct MessageKey: Hashable {
        var thread: String
        var seq: Int64
    }

    private struct ReactionKey: Hashable {
        var message: MessageKey
        /// Compared by bytes, since emoji that look the same can differ.
        var emoji: [UInt8]
        var user: String
    }

    private struct Edit {
        var text: String
        var place: EventPlace
    }

    private struct Deletion {
        var id: String
        var milliseconds: Int64
        /// The user who deletes the message.
        var user: String
    }

    private var edits: [MessageKey: Edit] = [:]
    private var deletions: [MessageKey: Deletion] = [:]
    private var reactions: [ReactionKey: (emoji: String, isOn: Bool)] = [:]

    var isEmpty: Bool { edits.isEmpty && deletions.isEmpty && reactions.isEmpty }

    /// - Parameters:
    ///   - fields: an edit, a deletion or a reaction that has been validated.
    ///   - place: the place where the event is stored.
    mutating func add(_ fields: EventFields, at place: EventPlace, in thread: ThreadID) {
        guard let seq = fields.messageSeq else { return }
        let key = MessageKey(thread: thread.text, seq: seq)
        switch fields.kind {
        case .edited:
            guard place.seq > edits[key]?.place.seq ?? 0 else { return }
            edits[key] = Edit(text: fields.text ?? "", place: place)
        case .deleted:
            deletions[key] = Deletion(
                id: fields.messageID?.text ?? "", milliseconds: place.milliseconds,
                user: fields.user.text)
            edits[key] = nil
            reactions = reactions.filter { $0.key.message != key }
        case .reaction:
            let emoji = fields.text ?? ""
            let reaction = ReactionKey(message: key, emoji: Array(emoji.utf8), user: fields.user.text)
            reactions[reaction] = (emoji, fields.isOn ?? false)
        default: break
        }
    }

    /// Takes the statements that apply all changes. They require that the messages are already stored.
    mutating func takeCalls() -> [Call] {
        var calls: [Call] = []
        if !edits.isEmpty {
            calls.append(
                WriteQueries.edit(
                    .texts(edits.keys.map(\.thread)), .ints(edits.keys.map(\.seq)), .texts(edits.values.map(\.text)),
                    .ints(edits.values.map(\.place.milliseconds)), .ints(edits.values.map(\.place.seq))))
        }
        if !deletions.isEmpty {
            let (threads, seqs) = (deletions.keys.map(\.thread), deletions.keys.map(\.seq))
            calls += [
                AuditQueries.deletions(
                    .texts(threads), .ints(seqs), .ints(deletions.values.map(\.milliseconds)),
                    .texts(deletions.values.map(\.user))),
                WriteQueries.delete(.texts(threads), .ints(seqs), .ints(deletions.values.map(\.milliseconds))),
                WriteQueries.forgetReactions(.texts(threads), .ints(seqs)),
                WriteQueries.forgetEdits(.texts(threads), .texts(deletions.values.map(\.id))),
            ]
        }
        for isOn in [true, false] {
            let some = reactions.filter { $0.value.isOn == isOn }
            guard !some.isEmpty else { continue }
            let statement = isOn ? WriteQueries.react : WriteQueries.unreact
            calls.append(
                statement(
                    .texts(some.keys.map(\.message.thread)), .ints(some.keys.map(\.message.seq)),
                    .texts(some.values.map(\.emoji)), .texts(some.keys.map(\.user))))
        }
        self = PendingChanges()
        return calls
    }
}
