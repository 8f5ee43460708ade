import Foundation
import GRDB
import ParleyModel
import ParleyStorage

extension StateTransaction {
    /// Executes a decision.
    /// - Parameter isOverdue: whether only persisters relay the entries. They then need not wait for this node.
    func execute<Value>(_ decision: StateDecision<Value>, isOverdue: Bool = false) throws -> StateChange<Value> {
        for change in decision.changes { try execute(change) }
        let entries = try decision.outbox.map { try add($0, isOverdue: isOverdue) }
        for case .addMember(let user, let thread, _, .sinceJoining, _) in decision.changes {
            guard let entry = entries.last(where: { $0.isJoining(thread) }) else { continue }
            try run(StateQueries.beginLog, [HistoryStart.pending + entry.id, thread.text, user.text])
        }
        return StateChange(decision.value, outbox: entries)
    }

    /// Adds an outbox entry.
    func add(_ draft: OutboxEntry.Draft, isOverdue: Bool = false) throws -> OutboxEntry {
        let stored = draft.content.stored
        try run(
            StateQueries.insertOutboxEntry, [draft.thread.text, stored.kind, stored.payload, isOverdue ? 0 : now])
        return OutboxEntry(id: db.lastInsertedRowID, thread: draft.thread, content: draft.content)
    }

    private func execute(_ change: TableChange) throws {
        switch change {
        case .addMember(let user, let thread, let role, _, let milliseconds):
            try run(StateQueries.insertMember, [thread.text, user.text, role.rawValue, milliseconds])
        case .setRole(let user, let thread, let role):
            try run(WriteQueries.setRole, [role.rawValue, thread.text, user.text])
        case .removeMember(let user, let thread):
            try run(WriteQueries.deleteMember, [thread.text, user.text])
        case .leave(let user, let threads):
            for thread in threads { try run(WriteQueries.deleteMember, [thread.text, user.text]) }
        case .restrict(let user, let thread, let kind, let milliseconds):
            try run(StateQueries.restrict, [thread.text, user.text, kind.rawValue, milliseconds])
        case .sanction(let user, let thread, let sanction, let author, let milliseconds):
            try run(
                SanctionQueries.put,
                [
                    thread.text, user.text, sanction.kind.rawValue, sanction.until, sanction.reason, author?.text,
                    milliseconds,
                ])
        case .endSanction(let kind, let user, let thread):
            try run(SanctionQueries.end, [thread.text, user.text, kind.rawValue])
        case .addLink(let link, let code, let thread):
            try add(link, code: code, to: thread)
        case .removeLinks(let links, let thread):
            for link in links { try run(LinkQueries.remove, [thread.text, link.text]) }
        case .useLink(let link, let thread, let milliseconds):
            try run(LinkQueries.use, [thread.text, link.text, milliseconds])
        case .entrance(let row, let user, let thread): try execute(row, of: user, in: thread)
        case .createGroup(let thread, let title, let milliseconds):
            try run(EntranceQueries.insertGroup, [thread.text, title, milliseconds])
        case .setTitle(let title, let thread):
            try SQLiteStore.orTaken { try run(WriteQueries.rename, [title, thread.text]) }
        case .setVisibility(let visibility, let thread):
            try SQLiteStore.orTaken { try run(StateQueries.setVisibility, [visibility.rawValue, thread.text]) }
        case .setHistory(let history, let thread):
            try run(StateQueries.setHistory, [history.rawValue, thread.text])
        case .setRoom(let details, let thread):
            try run(
                StateQueries.setRoom, [details.options.stored, details.description, details.rules, thread.text])
        case .setPicture(let picture, let thread): try setPicture(picture, of: thread)
        case .endEpoch(let epoch, let thread):
            try run(StateQueries.insertDeletedEpoch, [thread.text, epoch, now])
        case .deleteThread(let thread):
            // Deletes everything in this transaction, since the messages refer to the row of the thread. Other writers
            // wait in the meantime.
            for sql in [
                ThreadQueries.deleteMessages, ThreadQueries.deleteEvents, ThreadQueries.deleteReactions,
                ThreadQueries.deleteThread,
            ] {
                try run(sql, [thread.text])
            }
        case .audit(let note): try self.note(note)
        case .eraseUser(let user, let milliseconds, let actor):
            try run(AuditQueries.erasure, [user.text, milliseconds, actor.stored.kind, actor.stored.id])
            try run(AuditQueries.forgetReasons, [user.text])
            try run(UnseenQueries.ofUser, [user.text])
            try run(AccountQueries.eraseUser, [User.erased(user).name, milliseconds, user.text])
            try run(AccountQueries.deleteSessionsOfUser, [user.text])
            try run(StateQueries.insertCleanup, [user.text, now])
        case .eraseMessages(let messages, let user):
            for message in messages {
                let (thread, name) = (message.thread.text, User.erased(user).name)
                try run(AccountQueries.eraseMessage, [name, thread, message.seq])
                try run(WriteQueries.forgetReactions, [thread, message.seq])
                try run(WriteQueries.forgetEdits, [thread, message.id.text])
            }
        case .eraseRejects(let user):
            try run(AccountQueries.eraseRejects, [Data("\"user_id\":\"\(user)\"".utf8)])
        }
    }
}
