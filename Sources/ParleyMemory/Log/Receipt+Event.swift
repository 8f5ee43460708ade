import ParleyModel

extension Receipt {
    /// The receipt of an event that has its place.
    init(_ event: LogEvent) {
        self.init(
            thread: event.thread, position: event.position, milliseconds: event.milliseconds,
            messageID: event.message?.id)
    }

    /// What a repeat of the send gets.
    var repeated: Receipt {
        var copy = self
        copy.isRepeat = true
        return copy
    }
}
