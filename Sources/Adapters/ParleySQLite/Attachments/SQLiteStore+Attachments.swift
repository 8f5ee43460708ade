import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: AttachmentStore {
    // MARK: Uploads

    package func addAttachment(
        _ attachment: Attachment, within quota: AttachmentQuota, due: Int64
    ) async throws(StoreError) -> (isAdded: Bool, usage: AttachmentUsage)? {
        try StoredText.refuseNUL(in: attachment.name, as: "name")
        return try await change { transaction in
            guard try transaction.isPresent(attachment.owner) else { return nil }
            let usage = try Self.usage(of: attachment.owner, transaction.db)
            guard quota.allows(attachment.size, besides: usage) else { return (false, usage) }
            try transaction.run(
                AttachmentQueries.insert,
                [
                    attachment.id.text, attachment.owner.text, attachment.name, attachment.type, attachment.size,
                    attachment.sha256, attachment.created, due,
                ])
            return (true, usage)
        }
    }

    package func attachment(_ id: AttachmentID) async throws(StoreError) -> Attachment? {
        try await read { db in
            try db.first(AttachmentQueries.find, [id.text]) { Attachment(row: $0) }
        }
    }

    package func attachment(
        _ id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> Attachment? {
        try await read { db in
            try db.first(AttachmentQueries.findReadable, [id.text, user.text]) { Attachment(row: $0) }
        }
    }

    package func unconfirmedUses(
        of id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> [AttachmentUse] {
        try await read { db in
            try db.all(AttachmentQueries.unconfirmed, [id.text, user.text, AttachmentUse.unstoredLimit]) {
                AttachmentUse(row: $0)
            }
        }
    }

    package func advanceUpload(
        of id: AttachmentID, from received: Int64, to newReceived: Int64, upload: String?, due: Int64
    ) async throws(StoreError) -> Bool {
        try await changed(AttachmentQueries.advance, [id.text, received, newReceived, upload, due])
    }

    package func completeUpload(
        of id: AttachmentID, sha256: String, dimensions: ImageDimensions?, due: Int64
    ) async throws(StoreError) -> Bool {
        try await changed(
            AttachmentQueries.complete, [id.text, sha256, dimensions?.width, dimensions?.height, due])
    }

    package func attachmentUsage(of user: UserID) async throws(StoreError) -> AttachmentUsage {
        try await read { db in try Self.usage(of: user, db) }
    }

    private static func usage(of user: UserID, _ db: Database) throws -> AttachmentUsage {
        try db.first(AttachmentQueries.usage, [user.text]) { AttachmentUsage(bytes: $0[1], files: $0[0]) }
            ?? AttachmentUsage(bytes: 0, files: 0)
    }

    /// - Returns: whether one row was changed.
    private func changed(_ sql: String, _ arguments: StatementArguments) async throws(StoreError) -> Bool {
        try await change { transaction in
            try transaction.run(sql, arguments)
            return transaction.db.changesCount == 1
        }
    }

    // MARK: Uses

    package func useAttachments(
        _ ids: [AttachmentID], of owner: UserID, in use: AttachmentUse, recipient: UserID?, at milliseconds: Int64
    ) async throws(StoreError) -> [AttachmentID: Attachment] {
        let wanted = Set(ids)
        return try await change { transaction in
            let ids = Self.json(wanted.map(\.text))
            let found = try transaction.db.all(AttachmentQueries.findUsable, [ids, owner.text]) { Attachment(row: $0) }
            if found.count == wanted.count {
                for attachment in found {
                    try transaction.run(AttachmentQueries.keep, [attachment.id.text])
                    try transaction.run(
                        AttachmentQueries.insertUse,
                        [
                            attachment.id.text, use.thread.text, use.message.text, recipient?.text, milliseconds,
                            milliseconds + AttachmentUse.checkMilliseconds,
                        ])
                }
            }
            return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        }
    }

    package func forgetUses(_ use: AttachmentUse, due: Int64) async throws(StoreError) {
        try await change { transaction in
            let ids = try String.fetchAll(
                transaction.db.cachedStatement(sql: AttachmentQueries.forgetUses),
                arguments: [use.thread.text, use.message.text])
            for id in ids { try transaction.run(AttachmentQueries.postpone, [id, due]) }
        }
    }

    // MARK: Removal

    package func discardAttachment(
        _ id: AttachmentID, of owner: UserID
    ) async throws(StoreError) -> Bool? {
        try await change { transaction in
            let statement = try transaction.db.cachedStatement(sql: AttachmentQueries.owned)
            guard try Row.fetchOne(statement, arguments: [id.text, owner.text]) != nil else { return nil }
            try transaction.run(AttachmentQueries.discard, [id.text])
            return transaction.db.changesCount == 1
        }
    }

    package func checkUses(at milliseconds: Int64, limit: Int) async throws(StoreError) -> CheckedUses {
        let find = { @Sendable (db: Database) in
            try Row.fetchAll(
                db.cachedStatement(sql: AttachmentQueries.unchecked), arguments: [milliseconds, limit])
        }
        // Avoids a write transaction in the usual case without due uses.
        guard try await read({ try !find($0).isEmpty }) else { return CheckedUses(count: 0, unconfirmed: []) }
        return try await change { transaction in
            let rows = try find(transaction.db)
            var unconfirmed: Set<AttachmentUse> = []
            for row in rows {
                let use = AttachmentUse(row: row)
                let (attachment, isStored, isDeleted): (String, Bool, Bool) = (row[2], row[3], row[4])
                if !isStored, isDeleted {
                    try transaction.run(
                        AttachmentQueries.deleteUse, [attachment, use.thread.text, use.message.text])
                    continue
                }
                let next = isStored ? nil : milliseconds + AttachmentUse.checkMilliseconds
                try transaction.run(
                    AttachmentQueries.setCheck, [next, attachment, use.thread.text, use.message.text])
                if !isStored { unconfirmed.insert(use) }
            }
            return CheckedUses(count: rows.count, unconfirmed: unconfirmed)
        }
    }

    package func claimRemovals(at milliseconds: Int64, limit: Int) async throws(StoreError) -> [Attachment] {
        let find = { @Sendable (db: Database) in
            try Row.fetchAll(db.cachedStatement(sql: AttachmentQueries.due), arguments: [milliseconds, limit])
        }
        guard try await read({ try !find($0).isEmpty }) else { return [] }
        return try await change { transaction in
            var claimed: [Attachment] = []
            for row in try find(transaction.db) {
                let attachment = Attachment(row: row)
                guard row[12] else {
                    try transaction.run(AttachmentQueries.keep, [attachment.id.text])
                    continue
                }
                let lease = milliseconds + AttachmentUse.leaseMilliseconds
                try transaction.run(AttachmentQueries.beginRemoval, [lease, attachment.id.text])
                claimed.append(attachment)
            }
            return claimed
        }
    }

    package func removedAttachments(_ ids: [AttachmentID]) async throws(StoreError) {
        guard !ids.isEmpty else { return }
        try await change { transaction in
            for id in ids {
                try transaction.run(AttachmentQueries.forgetPicture, [id.text])
                try transaction.run(AttachmentQueries.delete, [id.text])
            }
        }
    }
}

extension AttachmentUse {
    /// - Parameter row: a row that begins with the thread and the message.
    fileprivate init(row: Row) {
        self.init(thread: ThreadID(trusted: row[0]), message: MessageID(trusted: row[1]))
    }
}

extension Attachment {
    /// - Parameter row: a row that `AttachmentQueries.find` returns.
    init(row: Row) {
        let (width, height): (Int64?, Int64?) = (row[8], row[9])
        let dimensions = width.flatMap { width in height.map { ImageDimensions(width: width, height: $0) } }
        self.init(
            id: AttachmentID(trusted: row[0]), owner: UserID(trusted: row[1]), name: row[2], type: row[3],
            size: row[4], received: row[5], upload: row[6], sha256: row[7], dimensions: dimensions, created: row[10],
            isComplete: row[11])
    }
}
