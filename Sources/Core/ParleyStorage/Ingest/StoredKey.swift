package import ParleyModel

/// The identity of a stored event that is not a message: its position in the log, its kind and its user.
package struct StoredKey: Hashable, Sendable {
    package var thread: String
    /// The seq that the log assigned.
    package var seq: Int64
    package var epoch: String
    package var user: String
    package var kind: LogEvent.Kind

    package init(thread: String, seq: Int64, epoch: String, user: String, kind: LogEvent.Kind) {
        self.thread = thread
        self.seq = seq
        self.epoch = epoch
        self.user = user
        self.kind = kind
    }

    /// The identity of the same event if it was moved: it is stored in the successor of its epoch, whose own events all
    /// have higher seqs.
    package var moved: StoredKey {
        var key = self
        key.epoch = Epoch(epoch).successor.text
        return key
    }

    /// Returns `nil` for a message, which is identified by its id.
    package init?(_ event: LogEvent) {
        guard let fields = EventFields(event.body) else { return nil }
        self.init(
            thread: event.thread.text, seq: event.position.seq, epoch: event.position.epoch.text,
            user: fields.user.text, kind: fields.kind)
    }
}
