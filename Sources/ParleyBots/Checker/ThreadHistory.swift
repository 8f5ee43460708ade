/// A thread's log as REST gives it at the end, in the order in which it came.
package struct ThreadHistory: Hashable, Sendable {
    package struct Event: Hashable, Sendable {
        package var epoch: String
        package var seq: Int64
        package var mark: Mark
        /// Counts as unread, and is shown to classic clients.
        package var isMessage: Bool
        package var isDeleted: Bool

        package init(epoch: String, seq: Int64, mark: Mark, isMessage: Bool = true, isDeleted: Bool = false) {
            self.epoch = epoch
            self.seq = seq
            self.mark = mark
            self.isMessage = isMessage
            self.isDeleted = isDeleted
        }
    }

    package var events: [Event]

    package init(events: [Event] = []) {
        self.events = events
    }
}
