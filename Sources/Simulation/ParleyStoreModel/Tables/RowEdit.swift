package import ParleyModel
import ParleyStorage

/// A change of rows that no port makes, as of a program of the site or of an operator with a console.
package enum RowEdit: Hashable, Sendable {
    case eraseUser(UserID, at: Int64)
    case setPasswordHash(String, of: UserID)
    /// Makes every cleanup due at this time of the database's clock.
    case setCleanupsDue(Int64)
    case setOutboxKind(String, of: Int64)
    case addOutboxEntry(thread: ThreadID, kind: String, payload: String, created: Int64)
    case endEpoch(String, of: ThreadID)
    /// Removes the batches of stored events above a stamp, as the restoration of an earlier state does.
    case forgetEventBatches(after: Int64)
}

extension Tables {
    mutating func apply(_ edit: RowEdit, at now: Int64) {
        switch edit {
        case .eraseUser(let user, let milliseconds): updateUser(user) { $0.erased = milliseconds }
        case .setPasswordHash(let hash, let user): updateUser(user) { $0.passwordHash = hash }
        case .setCleanupsDue(let due): cleanups = cleanups.mapValues { _ in due }
        case .setOutboxKind(let kind, let id):
            for index in outbox.indices where outbox[index].id == id { outbox[index].kind = kind }
        case .addOutboxEntry(let thread, let kind, let payload, let created):
            lastOutboxID += 1
            outbox.append(
                OutboxRow(id: lastOutboxID, thread: thread, kind: kind, payload: payload, created: created))
        case .endEpoch(let epoch, let thread): deletedEpochs[thread, default: []].insert(epoch)
        case .forgetEventBatches(let stamp): eventBatches.removeAll { $0.stamp > stamp }
        }
    }
}
