package import ParleyModel

/// Files in messages.
extension LogCommands {
    /// Checks that a message may refer to its attachments, records that it does, and fills its parts in with what the
    /// server knows of them. Must be called before a message with such parts is appended.
    /// - Parameter id: the message.
    /// - Throws: `forbidden` if the sender may not write, `notFound` if an attachment is not a complete one of their own.
    package func attach(
        _ parts: [MessagePart], to id: MessageID, by user: UserID, as membership: Membership
    ) async throws(MessagingError) -> [MessagePart] {
        let wanted = parts.compactMap(\.attachment)
        guard !wanted.isEmpty else { return parts }
        // Before the lookup: users who may not write use nothing up.
        try rules.check(writingAs: membership)
        guard let attachments else { throw .notFound("no such attachment; attachments are off") }
        let use = AttachmentUse(thread: membership.thread.id, message: id)
        let found: [AttachmentID: Attachment]
        do {
            found = try await attachments.useAttachments(
                wanted, of: user, in: use, recipient: membership.peer?.id, at: clock.milliseconds)
        } catch {
            throw MessagingError(error)
        }
        var filled: [MessagePart] = []
        for (index, part) in parts.enumerated() {
            guard case .media(let media) = part, let wanted = media.attachment else {
                filled.append(part)
                continue
            }
            guard let attachment = found[wanted] else {
                throw .notFound("part \(index): you have no complete attachment \(wanted)")
            }
            filled.append(.media(attachment.filling(media)))
        }
        return filled
    }

    /// Forgets that a message refers to attachments if the log has not appended it: it is a repeat of another one, or was
    /// refused.
    ///
    /// If that fails or is not known, or the process ends before, `UnstoredUses` decides some seconds later.
    package func detach(
        _ parts: [MessagePart], from id: MessageID, in thread: ThreadID, after result: Result<Receipt, AppendError>
    ) async {
        switch result {
        case .success(let receipt): guard receipt.messageID != id else { return }
        case .failure(.conflict): break
        // The message may be in the log nevertheless.
        case .failure(.unavailable): return
        }
        await detach(parts, from: id, in: thread)
    }

    /// Forgets that a message refers to attachments: it was not given to the log, and will not be.
    package func detach(_ parts: [MessagePart], from id: MessageID, in thread: ThreadID) async {
        guard let attachments, parts.contains(where: { $0.attachment != nil }) else { return }
        try? await attachments.forgetUses(
            AttachmentUse(thread: thread, message: id), due: clock.milliseconds + AttachmentUse.retryMilliseconds)
    }
}
