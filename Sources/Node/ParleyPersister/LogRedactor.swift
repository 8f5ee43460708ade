import ParleyModel

/// Removes content from the log that batches delete or erase.
///
/// This is done before the batches are stored: if the persister is interrupted in between, they are read and redacted
/// again, and nothing is missed. What the store refuses is redacted afterwards.
///
/// An in-process log redacts deleted messages as it accepts the deletion, and shows nothing before it is stored. Only
/// edits that were stored without a text are passed to it, since their messages were gone by then.
struct LogRedactor: Sendable {
    let log: any MessageLog
    let store: any MessageStore
    /// Whether the log redacts deleted messages itself.
    let redactsItself: Bool

    /// Redacts messages that the batches delete, and edits of messages that were gone already, since edits and
    /// deletions may be concurrent.
    func redact(before batches: [IngestBatch]) async throws(StoreError) {
        guard !redactsItself else { return }
        var deleted: [ThreadID: Set<MessageID>] = [:]
        var edited: Set<MessageKey> = []
        for case .event(let event) in batches.lazy.flatMap(\.entries).map(\.content) {
            switch event.body {
            case .deleted(let deletion): deleted[event.thread, default: []].insert(deletion.messageID)
            case .edited(let edit): edited.insert(MessageKey(thread: event.thread, message: edit.messageID))
            case .message, .reaction, .joined, .left, .renamed, .role, .visibility: break
            }
        }
        let requested = edited.filter { deleted[$0.thread]?.contains($0.message) != true }
        let gone = requested.isEmpty ? [] : try await gone(among: Array(requested))
        for key in gone { deleted[key.thread, default: []].insert(key.message) }
        for (thread, messages) in deleted { try await redact(messages, in: thread) }
    }

    private func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey> {
        var (gone, rest): (Set<MessageKey>, ArraySlice<MessageKey>) = ([], keys[...])
        while !rest.isEmpty {
            gone.formUnion(try await store.gone(among: Array(rest.prefix(MessageKey.maximumCount))))
            rest = rest.dropFirst(MessageKey.maximumCount)
        }
        return gone
    }

    /// Redacts messages that the store did not accept and that can no longer be deleted: refused ones, and second
    /// copies of sends that were accepted while it was unavailable. In a log that redacts itself, redacts edits stored
    /// without a text.
    func redact(after batch: IngestBatch, _ outcomes: [StoreOutcome]) async throws(StoreError) {
        guard !redactsItself else { return try await redactEdits(in: batch) }
        var refused: [ThreadID: Set<MessageID>] = [:]
        for (entry, outcome) in zip(batch.entries, outcomes) {
            switch (entry.content, outcome) {
            case (.event(let event), .rejected), (.event(let event), .dropped), (.refused(let event, _), _):
                guard let message = event.message?.id ?? event.editedMessage else { continue }
                refused[event.thread, default: []].insert(message)
            case (.event(let event), .repeated(let seq)) where seq != event.position.seq:
                // The same message may be stored elsewhere, written before the persister died.
                guard let message = event.message?.id, try await store.message(message, in: event.thread) == nil else {
                    continue
                }
                refused[event.thread, default: []].insert(message)
            default: continue
            }
        }
        for (thread, messages) in refused { try await redact(messages, in: thread) }
    }

    private func redactEdits(in batch: IngestBatch) async throws(StoreError) {
        var edited: Set<MessageKey> = []
        for case .event(let event) in batch.entries.lazy.map(\.content) {
            guard let message = event.editedMessage else { continue }
            edited.insert(MessageKey(thread: event.thread, message: message))
        }
        let keys = try await gone(among: Array(edited))
        for (thread, keys) in Dictionary(grouping: keys, by: \.thread) {
            try await redact(Set(keys.map(\.message)), in: thread)
        }
    }

    private func redact(_ messages: Set<MessageID>, in thread: ThreadID) async throws(StoreError) {
        do {
            try await log.redact(.messages(messages), in: thread)
        } catch {
            throw .unavailable("the log could not be redacted: \(error)")
        }
    }
}

extension LogEvent {
    fileprivate var editedMessage: MessageID? {
        if case .edited(let edit) = body { edit.messageID } else { nil }
    }
}
