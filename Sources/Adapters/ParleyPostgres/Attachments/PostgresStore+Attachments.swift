package import ParleyModel
import ParleyStorage

extension PostgresStore: AttachmentStore {
    // MARK: Uploads

    package func addAttachment(
        _ attachment: Attachment, within quota: AttachmentQuota, due: Int64
    ) async throws(StoreError) -> (isAdded: Bool, usage: AttachmentUsage)? {
        try StoredText.refuseNUL(in: attachment.name, as: "name")
        let owner = Parameter.text(attachment.owner.text)
        let insert = AttachmentQueries.insert(
            .text(attachment.id.text), owner, .text(attachment.name), .text(attachment.type), .int(attachment.size),
            .text(attachment.sha256), .int(attachment.created), .int(due))
        return try await change { transaction in
            let connection = transaction.connection
            var pipeline = Pipeline(Statement.begin())
            let held = pipeline.add(AttachmentQueries.holdOwner(owner))
            let isHeld = try connection.run(pipeline).count(held) == 1
            // A separate statement, so that it sees the rows that were committed while this transaction waited for the
            // owner.
            let usage = try connection.run(AttachmentQueries.usage(owner)).first
            guard isHeld, let usage else {
                try connection.run(Pipeline(Statement.commit()))
                return nil
            }
            let isAllowed = quota.allows(attachment.size, besides: usage)
            pipeline = Pipeline()
            if isAllowed { pipeline.add(insert) }
            pipeline.add(Statement.commit())
            try connection.run(pipeline)
            return (isAllowed, usage)
        }
    }

    package func attachment(_ id: AttachmentID) async throws(StoreError) -> Attachment? {
        try await rows(.lookUp, AttachmentQueries.find(.text(id.text))).first
    }

    package func attachment(
        _ id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> Attachment? {
        let call = AttachmentQueries.findReadable(.text(id.text), .text(user.text))
        return try await rows(.lookUp, call).first
    }

    package func unconfirmedUses(
        of id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> [AttachmentUse] {
        let call = AttachmentQueries.unconfirmed(
            .text(id.text), .text(user.text), .int(Int64(AttachmentUse.unstoredLimit)))
        return try await rows(.lookUp, call)
    }

    package func advanceUpload(
        of id: AttachmentID, from received: Int64, to newReceived: Int64, upload: String?, due: Int64
    ) async throws(StoreError) -> Bool {
        let call = AttachmentQueries.advance(
            .text(id.text), .int(received), .int(newReceived), .text(upload), .int(due))
        return try await rows(.account, call).count == 1
    }

    package func completeUpload(
        of id: AttachmentID, sha256: String, dimensions: ImageDimensions?, due: Int64
    ) async throws(StoreError) -> Bool {
        let call = AttachmentQueries.complete(
            .text(id.text), .text(sha256), .int(dimensions?.width), .int(dimensions?.height), .int(due))
        return try await rows(.account, call).count == 1
    }

    package func attachmentUsage(of user: UserID) async throws(StoreError) -> AttachmentUsage {
        try await rows(.lookUp, AttachmentQueries.usage(.text(user.text))).first
            ?? AttachmentUsage(bytes: 0, files: 0)
    }

    // MARK: Uses

    package func useAttachments(
        _ ids: [AttachmentID], of owner: UserID, in use: AttachmentUse, recipient: UserID?, at milliseconds: Int64
    ) async throws(StoreError) -> [AttachmentID: Attachment] {
        let wanted = Set(ids.map(\.text)).sorted()
        return try await change { transaction in
            let connection = transaction.connection
            var pipeline = Pipeline(Statement.begin())
            let usable = pipeline.add(AttachmentQueries.findUsable(.texts(wanted), .text(owner.text)))
            let found = try connection.run(pipeline).all(usable)
            pipeline = Pipeline()
            if found.count == wanted.count {
                pipeline.add(
                    AttachmentQueries.keep(.texts(wanted)),
                    AttachmentQueries.insertUses(
                        .texts(wanted), .text(use.thread.text), .text(use.message.text), .text(recipient?.text),
                        .int(milliseconds), .int(milliseconds + AttachmentUse.checkMilliseconds)))
            }
            pipeline.add(Statement.commit())
            try connection.run(pipeline)
            return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        }
    }

    package func forgetUses(_ use: AttachmentUse, due: Int64) async throws(StoreError) {
        let forget = AttachmentQueries.forgetUses(.text(use.thread.text), .text(use.message.text))
        try await change { transaction in
            var pipeline = Pipeline(Statement.begin())
            let forgotten = pipeline.add(forget)
            let gone = try transaction.connection.run(pipeline).all(forgotten)
            try transaction.connection.run(
                Pipeline(AttachmentQueries.postpone(.texts(gone), .int(due)), Statement.commit()))
        }
    }

    // MARK: Removal

    package func discardAttachment(
        _ id: AttachmentID, of owner: UserID
    ) async throws(StoreError) -> Bool? {
        let id = Parameter.text(id.text)
        return try await change { transaction in
            var pipeline = Pipeline(Statement.begin())
            let held = pipeline.add(AttachmentQueries.hold(id, .text(owner.text)))
            let isHeld = try transaction.connection.run(pipeline).count(held) == 1
            pipeline = Pipeline()
            let discarded = isHeld ? pipeline.add(AttachmentQueries.discard(id)) : nil
            pipeline.add(Statement.commit())
            let replies = try transaction.connection.run(pipeline)
            return discarded.map { replies.count($0) == 1 }
        }
    }

    package func checkUses(at milliseconds: Int64, limit: Int) async throws(StoreError) -> CheckedUses {
        let call = AttachmentQueries.checkUses(
            .int(milliseconds), .int(milliseconds + AttachmentUse.checkMilliseconds), .int(Int64(limit)))
        let checked = try await rows(.account, call)
        return CheckedUses(count: checked.count, unconfirmed: Set(checked.filter { $0.isLeft }.map { $0.use }))
    }

    package func claimRemovals(at milliseconds: Int64, limit: Int) async throws(StoreError) -> [Attachment] {
        try await change { transaction in
            var pipeline = Pipeline(Statement.begin())
            let due = pipeline.add(AttachmentQueries.holdDue(.int(milliseconds), .int(Int64(limit))))
            let held = try transaction.connection.run(pipeline).all(due)
            guard !held.isEmpty else {
                try transaction.connection.run(Pipeline(Statement.commit()))
                return []
            }
            // Looks for uses only after the rows are locked, since a transaction that adds a use locks the row too.
            pipeline = Pipeline(AttachmentQueries.keepUsed(.texts(held)))
            let claimed = pipeline.add(
                AttachmentQueries.beginRemoval(
                    .texts(held), .int(milliseconds + AttachmentUse.leaseMilliseconds)))
            pipeline.add(Statement.commit())
            return try transaction.connection.run(pipeline).all(claimed)
        }
    }

    package func removedAttachments(_ ids: [AttachmentID]) async throws(StoreError) {
        guard !ids.isEmpty else { return }
        let removed = Parameter.texts(ids.map(\.text))
        try await run(.account, AttachmentQueries.forgetPictures(removed))
        try await run(.account, AttachmentQueries.delete(removed))
    }
}
