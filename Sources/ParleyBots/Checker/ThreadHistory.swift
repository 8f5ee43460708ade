/// A thread's log as returned by REST at the end of a run.
package struct ThreadHistory: Hashable, Sendable {
    package struct Event: Hashable, Sendable {
        package var epoch: String
        package var seq: Int64
        package var tag: MessageTag
        /// Whether it counts as unread and is sent to classic clients.
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
