import Foundation
import GRDB
import ParleyModel
import ParleyStorage

/// Writes the rows of a batch.
extension DirectTables {
    func insert(_ event: LogEvent, _ effect: EventEffect?, isLaterUse: Bool, at place: EventPlace) throws -> Bool {
        guard try insertRow(of: event, effect, isLaterUse, at: place) else { return false }
        cursors.move(by: event, at: place)
        if case .joined(let user, _) = event.body, let entry = event.outboxID {
            try run(
                WriteQueries.setStart, [place.seq, event.thread.text, user.id.text, HistoryStart.pending + entry])
        }
        return true
    }

    private func insertRow(
        of event: LogEvent, _ effect: EventEffect?, _ isLaterUse: Bool, at place: EventPlace
    ) throws -> Bool {
        let (thread, epoch) = (event.thread.text, event.position.epoch.text)
        if let fields = effect?.fields {
            try run(
                WriteQueries.insertEvent,
                [
                    thread, place.seq, event.position.seq, epoch, place.milliseconds, place.n, fields.kind.rawValue,
                    fields.user.text, fields.userName, fields.by?.text, fields.messageID?.text, fields.messageSeq,
                    fields.text, fields.isOn,
                ])
            return true
        }
        guard let message = event.message else { return false }
        try run(
            WriteQueries.insertMessage,
            [
                thread, place.seq, message.id.text, epoch, place.milliseconds, place.n, message.sender.id.text,
                message.sender.name, isLaterUse ? nil : message.clientID, message.text,
                message.parts.isEmpty ? nil : MessagePart.json(message.parts), message.replyTo, message.isErased,
                isLaterUse ? message.clientID : nil,
            ])
        guard db.changesCount == 1 else { return false }
        if isLaterUse {
            try run(
                SendQueries.insertLaterSend, [message.sender.id.text, message.clientID, thread, place.seq])
        }
        return true
    }

    func carryOut(_ effect: EventEffect, at place: EventPlace, in thread: ThreadID) throws {
        let (id, fields) = (thread.text, effect.fields)
        switch fields.kind {
        case .edited:
            try run(WriteQueries.edit, [fields.text, place.milliseconds, place.seq, id, fields.messageSeq])
        case .deleted:
            try run(AuditQueries.deletion, [place.milliseconds, id, fields.messageSeq, fields.user.text])
            try run(WriteQueries.delete, [place.milliseconds, id, fields.messageSeq])
            try run(WriteQueries.forgetReactions, [id, fields.messageSeq])
            try run(WriteQueries.forgetEdits, [id, fields.messageID?.text])
        case .reaction:
            let sql = fields.isOn == true ? WriteQueries.react : WriteQueries.unreact
            try run(sql, [id, fields.messageSeq, fields.text, fields.user.text])
        case .message, .joined, .left, .renamed, .role, .visibility: break
        }
    }

    func countUp(after seq: Int64, in thread: ThreadID) throws {
        for sql in [WriteQueries.countUpMessages, WriteQueries.countUpEvents, WriteQueries.countUpCursors] {
            try run(sql, [thread.text, seq])
        }
    }

    func insertRepeat(_ event: LogEvent, of first: Int64?) throws {
        try run(
            SendQueries.insertRepeat,
            [
                event.thread.text, event.position.seq, event.position.epoch.text, event.message?.id.text, first,
            ])
    }

    func insertDirectThread(_ id: ThreadID, of pair: Set<String>, at milliseconds: Int64) throws {
        let pair = pair.sorted()
        try run(WriteQueries.insertDirectThread, [id.text, pair.first, pair.last, milliseconds])
    }

    func addMember(_ user: String, of thread: ThreadID, at place: EventPlace) throws {
        try run(WriteQueries.insertMember, [thread.text, user, place.seq, place.n, place.milliseconds])
    }

    func settle(_ event: LogEvent, outboxID: Int64) throws -> Bool {
        try run(SendQueries.deleteOutbox, [outboxID])
        return db.changesCount == 1
    }

    func forgetRejects(about message: MessageID, in thread: ThreadID) throws {
        try run(SendQueries.forgetRejects, [thread.text, message.text])
    }

    func reject(_ entry: RejectedEntry, of batch: IngestBatch) throws {
        try run(
            WriteQueries.reject,
            [
                batch.partition.number, batch.incarnation, entry.offset, entry.reason, Data(entry.bytes), now,
                entry.thread, entry.user, entry.message,
            ])
    }

    // MARK: Threads and cursors

    func write(_ state: ThreadState, of id: ThreadID) throws {
        try run(
            WriteQueries.updateThread,
            [
                state.epoch, state.headSeq, state.headN, state.headMilliseconds, state.lastMessageSeq, id.text,
            ])
    }

    func moveCursor(of user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        cursors.move(user, in: thread, to: seq, n: n)
    }

    /// Writes the pending cursors first, since the number of messages up to the seq is read from the tables.
    func moveCursor(_ mark: ReadMark, to seq: Int64, in state: ThreadState?) throws {
        try writeCursors()
        if let state, state.isChanged { try write(state, of: mark.thread) }
        try run(ReadQueries.markRead, [seq, mark.thread.text, mark.user.text, mark.milliseconds, now])
    }

    /// Ignores users who are not members, since they have no cursor.
    func writeCursors() throws {
        for (key, cursor) in cursors.cursors {
            try run(WriteQueries.advanceCursor, [cursor.seq, cursor.n, key.thread.text, key.user.text])
        }
        cursors.removeAll()
    }
}
