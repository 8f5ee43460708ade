/// A thread's log as REST gives it at the end, in the order in which it came.
package struct ThreadHistory: Hashable, Sendable {
    package struct Event: Hashable, Sendable {
        package var epoch: String
        package var seq: Int64
        package var tag: MessageTag
        /// Counts as unread, and is shown to classic clients.
        package var isMessage: Bool
        package var isDeleted: Bool

        package init(epoch: String, seq: Int64, tag: MessageTag, isMessage: Bool = true, isDeleted: Bool = false) {
            self.epoch = epoch
            self.seq = seq
            self.tag = tag
            self.isMessage = isMessage
            self.isDeleted = isDeleted
        }
    }

    package var events: [Event]

    package init(events: [Event] = []) {
        self.events = events
    }
}
