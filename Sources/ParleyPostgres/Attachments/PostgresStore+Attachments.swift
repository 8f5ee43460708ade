package import ParleyModel

extension PostgresStore: AttachmentStore {
    // MARK: Uploads

    package func addAttachment(
        _ attachment: Attachment, within quota: AttachmentQuota, due: Int64
    ) async throws(StoreError) -> (isAdded: Bool, usage: AttachmentUsage)? {
        try Self.refuseNUL(in: attachment.name, as: "name")
        let owner = Parameter.text(attachment.owner.text)
        let insert = AttachmentQueries.insert(
            .text(attachment.id.text), owner, .text(attachment.name), .text(attachment.type), .int(attachment.size),
            .text(attachment.sha256), .int(attachment.created), .int(due))
        return try await change { transaction in
            let held = try transaction.connection.run([Statement.begin(), AttachmentQueries.holdOwner(owner)])[1]
            // Counted by a statement of its own, which sees what was committed while this one waited for the owner.
            let found = try transaction.connection.run([AttachmentQueries.usage(owner)])[0].first
            guard held.count == 1, let found else {
                _ = try transaction.commit([], outbox: [])
                return nil
            }
            let usage = AttachmentUsage(bytes: try found.int(1), files: try found.int(0))
            let isAllowed = quota.allows(attachment.size, besides: usage)
            _ = try transaction.commit(isAllowed ? [insert] : [], outbox: [])
            return (isAllowed, usage)
        }
    }

    package func attachment(_ id: AttachmentID) async throws(StoreError) -> Attachment? {
        try await rows(.lookUp, AttachmentQueries.find(.text(id.text))) { try Attachment(row: $0) }.first
    }

    package func attachment(
        _ id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> Attachment? {
        let call = AttachmentQueries.findReadable(.text(id.text), .text(user.text))
        return try await rows(.lookUp, call) { try Attachment(row: $0) }.first
    }

    package func unconfirmedUses(
        of id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> [AttachmentUse] {
        let call = AttachmentQueries.unconfirmed(
            .text(id.text), .text(user.text), .int(Int64(AttachmentUse.unstoredLimit)))
        return try await rows(.lookUp, call) { try AttachmentUse(row: $0) }
    }

    package func advanceUpload(
        of id: AttachmentID, from received: Int64, to newReceived: Int64, upload: String?, due: Int64
    ) async throws(StoreError) -> Bool {
        let call = AttachmentQueries.advance(
            .text(id.text), .int(received), .int(newReceived), .text(upload), .int(due))
        return try await rows(.account, call) { try $0.int(0) }.count == 1
    }

    package func completeUpload(
        of id: AttachmentID, sha256: String, dimensions: ImageDimensions?, due: Int64
    ) async throws(StoreError) -> Bool {
        let call = AttachmentQueries.complete(
            .text(id.text), .text(sha256), .int(dimensions?.width), .int(dimensions?.height), .int(due))
        return try await rows(.account, call) { try $0.int(0) }.count == 1
    }

    package func attachmentUsage(of user: UserID) async throws(StoreError) -> AttachmentUsage {
        try await rows(.lookUp, AttachmentQueries.usage(.text(user.text))) {
            AttachmentUsage(bytes: try $0.int(1), files: try $0.int(0))
        }.first ?? AttachmentUsage(bytes: 0, files: 0)
    }

    // MARK: Uses

    package func useAttachments(
        _ ids: [AttachmentID], of owner: UserID, in use: AttachmentUse, recipient: UserID?, at milliseconds: Int64
    ) async throws(StoreError) -> [AttachmentID: Attachment] {
        let wanted = Set(ids.map(\.text)).sorted()
        return try await change { transaction in
            let replies = try transaction.connection.run([
                Statement.begin(), AttachmentQueries.findUsable(.texts(wanted), .text(owner.text)),
            ])
            let found = try replies[1].map { try Attachment(row: $0) }
            let calls = [
                AttachmentQueries.keep(.texts(wanted)),
                AttachmentQueries.insertUses(
                    .texts(wanted), .text(use.thread.text), .text(use.message.text), .text(recipient?.text),
                    .int(milliseconds), .int(milliseconds + AttachmentUse.checkMilliseconds)),
            ]
            _ = try transaction.commit(found.count == wanted.count ? calls : [], outbox: [])
            return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        }
    }

    package func forgetUses(_ use: AttachmentUse, due: Int64) async throws(StoreError) {
        let forget = AttachmentQueries.forgetUses(.text(use.thread.text), .text(use.message.text))
        try await change { transaction in
            let gone = try transaction.connection.run([Statement.begin(), forget])[1].map { try $0.text(0) }
            _ = try transaction.commit([AttachmentQueries.postpone(.texts(gone), .int(due))], outbox: [])
        }
    }

    // MARK: Removal

    package func discardAttachment(
        _ id: AttachmentID, of owner: UserID
    ) async throws(StoreError) -> Bool? {
        let id = Parameter.text(id.text)
        return try await change { transaction in
            let held = try transaction.connection.run([
                Statement.begin(), AttachmentQueries.hold(id, .text(owner.text)),
            ])[1]
            let calls = held.count == 1 ? [AttachmentQueries.discard(id)] : []
            let replies = try transaction.commit(calls, outbox: []).replies
            return held.count == 1 ? replies[0].count == 1 : nil
        }
    }

    package func checkUses(at milliseconds: Int64, limit: Int) async throws(StoreError) -> CheckedUses {
        let call = AttachmentQueries.checkUses(
            .int(milliseconds), .int(milliseconds + AttachmentUse.checkMilliseconds), .int(Int64(limit)))
        let checked = try await rows(.account, call) { (use: try AttachmentUse(row: $0), isLeft: try $0.bool(2)) }
        return CheckedUses(count: checked.count, unconfirmed: Set(checked.filter { $0.isLeft }.map { $0.use }))
    }

    package func claimRemovals(at milliseconds: Int64, limit: Int) async throws(StoreError) -> [Attachment] {
        try await change { transaction in
            let held = try transaction.connection.run([
                Statement.begin(), AttachmentQueries.holdDue(.int(milliseconds), .int(Int64(limit))),
            ])[1]
            guard held.count > 0 else {
                _ = try transaction.commit([], outbox: [])
                return []
            }
            // Uses are looked for after the rows are locked, since those who add one lock the row too.
            let ids = Parameter.texts(try held.map { try $0.text(0) })
            let replies = try transaction.commit(
                [
                    AttachmentQueries.keepUsed(ids),
                    AttachmentQueries.beginRemoval(ids, .int(milliseconds + AttachmentUse.leaseMilliseconds)),
                ], outbox: []
            ).replies
            return try replies[1].map { try Attachment(row: $0) }
        }
    }

    package func removedAttachments(_ ids: [AttachmentID]) async throws(StoreError) {
        guard !ids.isEmpty else { return }
        try await run(.account, AttachmentQueries.delete(.texts(ids.map(\.text))))
    }
}

extension AttachmentUse {
    /// - Parameter row: a row that begins with the thread and the message.
    fileprivate init(row: Row) throws {
        self.init(thread: ThreadID(trusted: try row.text(0)), message: MessageID(trusted: try row.text(1)))
    }
}

extension Attachment {
    /// - Parameter row: a row of `AttachmentQueries.find`.
    fileprivate init(row: Row) throws {
        let height = try row.optionalInt(9)
        let dimensions = try row.optionalInt(8).flatMap { width in
            height.map { ImageDimensions(width: width, height: $0) }
        }
        self.init(
            id: AttachmentID(trusted: try row.text(0)), owner: UserID(trusted: try row.text(1)),
            name: try row.text(2), type: try row.text(3), size: try row.int(4), received: try row.int(5),
            upload: try row.optionalText(6), sha256: try row.optionalText(7), dimensions: dimensions,
            created: try row.int(10), isComplete: try row.bool(11))
    }
}
