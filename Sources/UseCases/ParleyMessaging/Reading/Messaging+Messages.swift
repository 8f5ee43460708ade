package import ParleyModel

/// The stored messages and events of threads.
extension Messaging {
    /// Searches the caller's threads, or one of them.
    /// - Throws: Also the errors of `membership`.
    package func search(
        _ words: String, of caller: Caller, in thread: ThreadID?, limit: Int
    ) async throws(MessagingError) -> SearchPage {
        if let thread { _ = try await membership(of: caller, in: thread) }
        return try await read { try await ports.store.search(words, of: caller.user.id, in: thread, limit: limit) }
    }

    /// Returns a page of all messages that the caller has sent.
    package func sent(
        by caller: Caller, after place: ExportPlace?, limit: Int
    ) async throws(MessagingError) -> ExportPage {
        try await read { try await ports.store.export(of: caller.user.id, after: place, limit: limit) }
    }

    /// Returns the trace of a message.
    /// - Throws: `notFound` if the message was not traced, or its trace has expired.
    package func trace(of message: MessageID, for _: BackEnd) async throws(MessagingError) -> MessageTrace {
        let stamps = try await read { try await ports.traces?.stamps(of: message) } ?? []
        guard !stamps.isEmpty else { throw Self.noTrace }
        return MessageTrace(stamps)
    }

    package static let noTrace = MessagingError.notFound("no trace of this message: it was not traced, or too long ago")
}
