package import ParleyModel
import ParleyStorage

extension ModelDatabase: AttachmentStore {
    // MARK: Uploads

    package func addAttachment(
        _ attachment: Attachment, within quota: AttachmentQuota, due: Int64
    ) async throws(StoreError) -> (isAdded: Bool, usage: AttachmentUsage)? {
        try StoredText.refuseNUL(in: attachment.name, as: "name")
        return try await write(.attachment) { tables, _ in
            guard tables.isPresent(attachment.owner) else { return nil }
            let usage = tables.usage(of: attachment.owner)
            guard quota.allows(attachment.size, besides: usage) else { return (false, usage) }
            guard tables.attachments[attachment.id] == nil else { throw StoreError.taken }
            let new = Attachment(
                id: attachment.id, owner: attachment.owner, name: attachment.name, type: attachment.type,
                size: attachment.size, sha256: attachment.sha256, created: attachment.created)
            tables.attachments[new.id] = AttachmentRow(attachment: new, due: due)
            tables.attachmentsByOwner[new.owner, default: []].insert(new.id)
            return (true, usage)
        }
    }

    package func attachment(_ id: AttachmentID) async throws(StoreError) -> Attachment? {
        try await read(.attachment) { $0.usable(id)?.attachment }
    }

    package func attachment(
        _ id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> Attachment? {
        try await read(.attachment) { tables in
            guard let attachment = tables.usable(id)?.attachment else { return nil }
            if attachment.owner == user { return attachment }
            let isReadable =
                tables.isAvatar(attachment)
                || (tables.uses[id] ?? [:]).contains { use, row in
                    row.check == nil
                        && (tables.shows(use, to: user)
                            || use.isPicture && tables.threads[use.thread]?.visibility == .public)
                }
            return attachment.isComplete && isReadable ? attachment : nil
        }
    }

    package func unconfirmedUses(
        of id: AttachmentID, readableBy user: UserID
    ) async throws(StoreError) -> [AttachmentUse] {
        try await read(.attachment) { tables in
            let uses = (tables.uses[id] ?? [:]).filter { use, row in
                row.check != nil && (row.recipient == user || tables.isMember(user, of: use.thread))
            }
            let newest = uses.sorted { ($1.value.created, $0.key.sortKey) < ($0.value.created, $1.key.sortKey) }
            return newest.prefix(AttachmentUse.unstoredLimit).map(\.key)
        }
    }

    package func advanceUpload(
        of id: AttachmentID, from received: Int64, to newReceived: Int64, upload: String?, due: Int64
    ) async throws(StoreError) -> Bool {
        try await write(.attachment) { tables, _ in
            guard let row = tables.usable(id), !row.attachment.isComplete, row.attachment.received == received else {
                return false
            }
            tables.attachments[id]?.attachment.received = newReceived
            tables.attachments[id]?.attachment.upload = upload
            tables.attachments[id]?.due = due
            return true
        }
    }

    package func completeUpload(
        of id: AttachmentID, sha256: String, dimensions: ImageDimensions?, due: Int64
    ) async throws(StoreError) -> Bool {
        try await write(.attachment) { tables, _ in
            guard var row = tables.usable(id), !row.attachment.isComplete,
                row.attachment.received == row.attachment.size
            else { return false }
            row.attachment.isComplete = true
            row.attachment.upload = nil
            row.attachment.sha256 = sha256
            row.attachment.dimensions = dimensions
            row.due = due
            tables.attachments[id] = row
            return true
        }
    }

    package func attachmentUsage(of user: UserID) async throws(StoreError) -> AttachmentUsage {
        try await read(.attachment) { $0.usage(of: user) }
    }

    // MARK: Uses

    package func useAttachments(
        _ ids: [AttachmentID], of owner: UserID, in use: AttachmentUse, recipient: UserID?, at milliseconds: Int64
    ) async throws(StoreError) -> [AttachmentID: Attachment] {
        let wanted = Set(ids)
        return try await write(.attachment) { tables, _ in
            let found = wanted.reduce(into: [AttachmentID: Attachment]()) { found, id in
                guard let row = tables.usable(id), row.attachment.owner == owner, row.attachment.isComplete else {
                    return
                }
                found[id] = row.attachment
            }
            guard found.count == wanted.count else { return found }
            let new = UseRow(
                recipient: recipient, created: milliseconds, check: milliseconds + AttachmentUse.checkMilliseconds)
            for id in wanted {
                tables.attachments[id]?.due = nil
                guard tables.uses[id]?[use] == nil else { continue }
                tables.uses[id, default: [:]][use] = new
                tables.attachmentsByUse[use, default: []].insert(id)
            }
            return found
        }
    }

    package func forgetUses(_ use: AttachmentUse, due: Int64) async throws(StoreError) {
        try await write(.attachment) { tables, _ in
            for id in tables.attachmentsByUse[use] ?? [] where tables.uses[id]?[use]?.check != nil {
                tables.endUse(use, of: id)
                if tables.usable(id) != nil { tables.attachments[id]?.due = due }
            }
        }
    }

    // MARK: Removal

    package func discardAttachment(
        _ id: AttachmentID, of owner: UserID
    ) async throws(StoreError) -> Bool? {
        try await write(.attachment) { tables, _ in
            guard let row = tables.attachments[id], row.attachment.owner == owner, !row.isRemoving else { return nil }
            guard !tables.isUsed(row.attachment) else { return false }
            tables.attachments[id]?.isRemoving = true
            tables.attachments[id]?.due = 0
            return true
        }
    }

    package func checkUses(at milliseconds: Int64, limit: Int) async throws(StoreError) -> CheckedUses {
        try await write(.attachment) { tables, _ in
            let due = tables.usesToCheck(at: milliseconds).prefix(limit)
            var unconfirmed: Set<AttachmentUse> = []
            for (id, use, row) in due {
                let isStored = tables.logs[use.thread]?.message(use.message)?.parts != nil
                let isLost = row.recipient == nil && tables.threads[use.thread] == nil
                if isStored {
                    tables.uses[id]?[use]?.check = nil
                } else if isLost {
                    tables.endUse(use, of: id)
                } else {
                    tables.uses[id]?[use]?.check = milliseconds + AttachmentUse.checkMilliseconds
                    unconfirmed.insert(use)
                }
            }
            return CheckedUses(count: due.count, unconfirmed: unconfirmed)
        }
    }

    package func claimRemovals(at milliseconds: Int64, limit: Int) async throws(StoreError) -> [Attachment] {
        try await write(.attachment) { tables, _ in
            let due = tables.attachments.filter { $0.value.due.map { $0 <= milliseconds } ?? false }
                .sorted { ($0.value.due ?? 0, $0.key.text) < ($1.value.due ?? 0, $1.key.text) }
            return due.prefix(limit).compactMap { id, row in
                if tables.usable(id) != nil, tables.isUsed(row.attachment) {
                    tables.attachments[id]?.due = nil
                    return nil
                }
                tables.attachments[id]?.isRemoving = true
                tables.attachments[id]?.due = milliseconds + AttachmentUse.leaseMilliseconds
                return row.attachment
            }
        }
    }

    package func removedAttachments(_ ids: [AttachmentID]) async throws(StoreError) {
        guard !ids.isEmpty else { return }
        try await write(.attachment) { tables, _ in
            for id in ids where tables.attachments[id]?.isRemoving == true {
                for use in (tables.uses[id] ?? [:]).keys {
                    if use.isPicture { tables.forgetPicture(id, of: use.thread) }
                    tables.endUse(use, of: id)
                }
                tables.uses[id] = nil
                guard let row = tables.attachments.removeValue(forKey: id) else { continue }
                tables.attachmentsByOwner[row.attachment.owner]?.remove(id)
            }
        }
    }
}
