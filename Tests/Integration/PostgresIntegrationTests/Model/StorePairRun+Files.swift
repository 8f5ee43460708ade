import ParleyModel
import ParleyTestSupport

extension StorePairRun {
    mutating func changeFiles() async throws {
        let (user, milliseconds) = (user(), milliseconds)
        guard let file = pickRecent(files), !isOneOf(5) else { return try await addFile(of: user) }
        switch roll(9) {
        case 0:
            try await pair.ask("advanceUpload") { store in
                try await store.advanceUpload(of: file, from: 0, to: 9, upload: "state", due: milliseconds + 5)
            }
        case 1:
            try await pair.ask("completeUpload") { store in
                try await store.completeUpload(of: file, sha256: "s", dimensions: nil, due: milliseconds + 500)
            }
        case ..<4: try await useFiles()
        case 4:
            guard let some = pickRecent(sent) else { return }
            let use = AttachmentUse(thread: some.thread, message: some.message.id)
            try await pair.ask("forgetUses") { store in
                try await store.forgetUses(use, due: milliseconds + 7)
                return true
            }
        case 5:
            try await pair.ask("discardAttachment") { try await $0.discardAttachment(file, of: user.id) }
        case 6:
            let time = milliseconds + Int64(roll(20_000))
            try await pair.ask("checkUses") { try await $0.checkUses(at: time, limit: 50) }
        case 7: try await removeFiles()
        default:
            try await pair.ask("attachment") { try await $0.attachment(file) }
            try await pair.ask("attachment readable") { try await $0.attachment(file, readableBy: user.id) }
            try await pair.ask("attachmentUsage") { try await $0.attachmentUsage(of: user.id) }
            try await pair.ask("unconfirmedUses") { store in
                Set(try await store.unconfirmedUses(of: file, readableBy: user.id))
            }
        }
    }

    private mutating func addFile(of user: User) async throws {
        let id = AttachmentID(trusted: isOneOf(10) ? pickRecent(files)?.text ?? "f" : "f\(number())")
        let file = Attachment(
            id: id, owner: user.id, name: "a", type: "text/plain", size: 9, received: 5, created: milliseconds)
        let (quota, due) = (AttachmentQuota(bytes: isOneOf(2) ? 30 : 0, files: 0), milliseconds + Int64(roll(900)))
        let isComplete = !isOneOf(3)
        let isAdded = try await pair.ask("addAttachment of \(user)") { store -> Bool? in
            let result = try await store.addAttachment(file, within: quota, due: due)
            if isComplete, result?.isAdded == true {
                _ = try await store.advanceUpload(of: id, from: 0, to: 9, upload: nil, due: due)
                _ = try await store.completeUpload(
                    of: id, sha256: "x", dimensions: ImageDimensions(width: 3, height: 4), due: due)
            }
            return result?.isAdded
        }
        if isAdded == true { files.append(id) }
    }

    /// Sends a message with attachments, or only says so.
    private mutating func useFiles() async throws {
        let (owner, recipient, milliseconds) = (user(), isOneOf(4) ? user().id : nil, milliseconds)
        let ids = (0...roll(2)).compactMap { _ in pickRecent(files) }
        let event = isOneOf(2) ? message() : nil
        let some =
            event.flatMap { event in event.message.map { (event.thread, $0.id) } }
            ?? pickRecent(sent).map { ($0.thread, $0.message.id) }
        guard let some else { return }
        let use = AttachmentUse(thread: some.0, message: some.1)
        try await pair.ask("useAttachments \(ids)") { store in
            try await store.useAttachments(ids, of: owner.id, in: use, recipient: recipient, at: milliseconds)
        }
        if let event { try await write([.event(event)]) }
    }

    private mutating func removeFiles() async throws {
        let (time, isRemoved) = (milliseconds + Int64(roll(2000)), isOneOf(2))
        let claimed = try await pair.ask("claimRemovals") { store in
            try await store.claimRemovals(at: time, limit: 50).sorted { $0.id.text < $1.id.text }
        }
        guard isRemoved, let ids = claimed?.map(\.id) else { return }
        try await pair.ask("removedAttachments") { store in
            try await store.removedAttachments(ids)
            return true
        }
    }
}
