package import ParleyModel

extension IngestBatch {
    /// How many entries a stored checkpoint covers.
    ///
    /// Offsets cannot be compared, so this only sees a checkpoint that lies in the batch. Older batches are recognised
    /// by their events being there.
    package func countCovered(by checkpoint: IngestCheckpoint?) -> Int {
        guard let checkpoint, checkpoint.incarnation == incarnation else { return 0 }
        return (entries.lastIndex { $0.offset == checkpoint.offset } ?? -1) + 1
    }
}

extension LogEvent {
    /// The event as it is stored: of an erased user, nothing that tells of a person.
    package func withoutErased(_ isErased: (UserID) throws -> Bool) rethrows -> LogEvent {
        var event = self
        switch body {
        case .message(let message):
            if try isErased(message.sender.id) { event.body = .message(message.erased) }
        case .joined(let user, let by):
            if try isErased(user.id) { event.body = .joined(.erased(user.id), by: by) }
        case .left(let user, let by):
            if try isErased(user.id) { event.body = .left(.erased(user.id), by: by) }
        case .edited, .deleted, .reaction, .renamed, .role: break
        }
        return event
    }

    /// Whether the log is to be rid of what it holds of an erased `person`. Edits always: their texts are not stored,
    /// since the message is the editor's.
    package func mustBeRedacted(storedAs stored: LogEvent) -> Bool {
        if case .edited = body { true } else { body != stored.body }
    }

    /// Whose text or name it bears.
    package var person: UserID? {
        switch body {
        case .message(let message): message.sender.id
        case .joined(let user, _), .left(let user, _): user.id
        case .edited(let edit): edit.by
        case .deleted, .reaction, .renamed, .role: nil
        }
    }
}
