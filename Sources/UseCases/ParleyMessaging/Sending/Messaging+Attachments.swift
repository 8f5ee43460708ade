package import ParleyModel

/// The use of files in messages.
extension Messaging {
    /// Checks a message, records that it refers to its attachments, and completes their parts with the server's data. Must be
    /// called before a message with such parts is appended.
    /// - Throws: The same errors as `prepare`, and `notFound` if an attachment is not a complete attachment of the sender.
    package func attach(
        _ message: NewMessage, by caller: Caller, as membership: Membership
    ) async throws(MessagingError) -> PreparedSend {
        // The checks come before the look-up, so that a refused message uses nothing up.
        let plain = try prepare(message, by: caller, as: membership)
        let wanted = message.parts.compactMap(\.attachment)
        guard !wanted.isEmpty else { return plain }
        guard let store = ports.attachments else { throw .notFound("no such attachment; attachments are off") }
        let found: [AttachmentID: Attachment]
        do {
            found = try await store.useAttachments(
                wanted, of: plain.message.sender.id,
                in: AttachmentUse(thread: membership.thread.id, message: plain.id), recipient: membership.peer?.id,
                at: clock.milliseconds)
        } catch {
            throw MessagingError(error)
        }
        var message = message
        message.id = plain.id
        message.parts = try Self.filled(message.parts, with: found)
        message.hasAttached = true
        return try prepare(message, by: caller, as: membership)
    }

    private static func filled(
        _ parts: [MessagePart], with found: [AttachmentID: Attachment]
    ) throws(MessagingError) -> [MessagePart] {
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

    /// Forgets that a message refers to attachments, since it was not passed to the log and will not be. Returns at once.
    ///
    /// If this fails or the process ends first, `UnstoredUses` decides some seconds later.
    package func detach(_ message: MessageID, in thread: ThreadID) {
        _ = budgets.settings.submit { await self.forgetUses(of: message, in: thread) }
    }

    /// Forgets the uses of a message that the log has not appended, because it is a repeat or was refused.
    func detach(_ send: PreparedSend, after result: Result<Receipt, AppendError>) async {
        switch result {
        case .success(let receipt): guard receipt.messageID != send.id else { return }
        case .failure(.conflict): break
        // The message may be in the log nevertheless.
        case .failure(.unavailable): return
        }
        await forgetUses(of: send.id, in: send.draft.thread)
    }

    private func forgetUses(of message: MessageID, in thread: ThreadID) async {
        try? await ports.attachments?.forgetUses(
            AttachmentUse(thread: thread, message: message), due: clock.milliseconds + AttachmentUse.retryMilliseconds)
    }
}
