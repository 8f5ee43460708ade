package import ParleyModel

/// The epochs of threads that were deleted: no event of theirs is stored again, even if there is a thread of the same id.
package struct DeletedEpochs: Sendable {
    /// What is said of an event that is dropped.
    package static let reason = "the thread was deleted"

    private var epochs: [ThreadID: Set<String>] = [:]

    package init() {}

    package mutating func insert(_ epoch: String, of thread: ThreadID) {
        epochs[thread, default: []].insert(epoch)
    }

    /// Whether it must be asked about an event's thread: the thread is not known by the event's epoch.
    package static func concern(_ event: LogEvent, in thread: ThreadState?) -> Bool {
        thread?.epoch != event.position.epoch.text
    }

    /// Whether an event is of a deleted thread. Where none was made again, every event is but one that makes it anew.
    package func cover(_ event: LogEvent, in thread: ThreadState?) -> Bool {
        guard let epochs = epochs[event.thread] else { return false }
        return epochs.contains(event.position.epoch.text) || (thread == nil && event.message?.recipient == nil)
    }
}
