package import ParleyModel

/// The epochs of deleted threads. No event of these epochs is stored again, even if a thread of the same id exists.
package struct DeletedEpochs: Sendable {
    /// The reason reported for a dropped event.
    package static let reason = "the thread was deleted"

    private var epochs: [ThreadID: Set<String>] = [:]

    package init() {}

    package mutating func insert(_ epoch: String, of thread: ThreadID) {
        epochs[thread, default: []].insert(epoch)
    }

    /// Whether a store must look up the deleted epochs of an event's thread: the stored epoch is not the event's.
    package static func mustBeRead(for event: LogEvent, in thread: ThreadState?) -> Bool {
        thread?.epoch != event.position.epoch.text
    }

    /// Whether an event belongs to a deleted thread. If the thread has not been created again, this holds for every
    /// event except a direct message, which creates its thread.
    package func contains(_ event: LogEvent, in thread: ThreadState?) -> Bool {
        guard let epochs = epochs[event.thread] else { return false }
        return epochs.contains(event.position.epoch.text) || (thread == nil && event.message?.recipient == nil)
    }
}
