import ParleyModel

extension Receipt {
    /// The receipt of a numbered event.
    init(_ event: LogEvent) {
        self.init(
            thread: event.thread, position: event.position, milliseconds: event.milliseconds,
            messageID: event.message?.id)
    }

    /// The receipt returned to a repeat of the send.
    var repeated: Receipt {
        var copy = self
        copy.isRepeat = true
        return copy
    }
}
