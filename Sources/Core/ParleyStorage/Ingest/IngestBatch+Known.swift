package import ParleyModel

extension IngestBatch {
    /// The number of entries that a stored checkpoint covers.
    ///
    /// Offsets are not ordered, so only a checkpoint within this batch is found. Entries of older batches are
    /// recognised by their stored events.
    package func countCovered(by checkpoint: IngestCheckpoint?) -> Int {
        guard let checkpoint, checkpoint.incarnation == incarnation else { return 0 }
        return (entries.lastIndex { $0.offset == checkpoint.offset } ?? -1) + 1
    }
}

extension LogEvent {
    /// The event as it is stored above its own seq: in the next epoch, so that no position means two events.
    package var moved: LogEvent {
        var event = self
        event.position.epoch = position.epoch.successor
        return event
    }

    /// The event as it is stored if its `person` is erased: without their data.
    package var withoutPerson: LogEvent {
        var event = self
        switch body {
        case .message(let message): event.body = .message(message.erased)
        case .joined(let user, let by): event.body = .joined(.erased(user.id), by: by)
        case .left(let user, let by): event.body = .left(.erased(user.id), by: by)
        case .reaction(let reaction): event.body = .reaction(reaction.erased)
        case .edited, .deleted, .renamed, .role, .visibility: break
        }
        return event
    }

    /// Whether the log must redact its copy of this event, given the event as stored for an erased `person`. Edits
    /// always: their texts are not stored as events, since the message belongs to its editor.
    package func mustBeRedacted(storedAs stored: LogEvent) -> Bool {
        if case .edited = body { true } else { body != stored.body }
    }

    /// The user whose text or name the event contains.
    package var person: UserID? {
        switch body {
        case .message(let message): message.sender.id
        case .joined(let user, _), .left(let user, _): user.id
        case .edited(let edit): edit.by
        case .reaction(let reaction): reaction.user
        case .deleted, .renamed, .role, .visibility: nil
        }
    }
}
