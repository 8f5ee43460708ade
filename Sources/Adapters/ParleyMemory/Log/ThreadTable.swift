import DequeModule
package import ParleyModel

/// The threads that a `LogCore` remembers, with their eviction.
///
/// Bounded by the number of threads and of events in their windows. The bounds are soft: a thread with events that are
/// not stored is never evicted (the log limits the number of such events).
package struct ThreadTable: Sendable {
    /// Valid until a thread is inserted or evicted.
    package typealias Index = Dictionary<ThreadID, ThreadEntry>.Index

    /// The number of threads inspected by one `forget`.
    private static var inspectedAtOnce: Int { 8 }
    /// The minimum bound for threads. With fewer, a thread could be evicted before its requester has read it.
    private static var leastThreads: Int { 16 }

    private let limit: Int
    private let windowLimit: Int
    private var entries: [ThreadID: ThreadEntry] = [:]
    /// Every thread once, in about the order of last use.
    private var ages = Deque<ThreadID>()
    /// The number of events in all windows.
    private var windowEvents = 0

    /// - Parameters:
    ///   - limit: the number of threads; at least 16.
    ///   - windowLimit: the number of events over all threads.
    package init(limit: Int, windowLimit: Int) {
        self.limit = max(Self.leastThreads, limit)
        self.windowLimit = windowLimit
    }

    package var count: Int { entries.count }

    package var indices: Dictionary<ThreadID, ThreadEntry>.Indices { entries.indices }

    package subscript(thread: ThreadID) -> ThreadEntry? { entries[thread] }

    package subscript(index: Index) -> ThreadEntry {
        get { entries.values[index] }
        // Modifies in place, since a copy of an entry would copy its window.
        _modify { yield &entries.values[index] }
    }

    /// The event of a draft that may already be in the log, if it is among the newest events.
    package func event(of draft: EventDraft) -> LogEvent? {
        guard draft.mayBeThere, case .message(let message) = draft.body else { return nil }
        return entries[draft.thread]?.log?.event(of: message.id)
    }

    package func index(of thread: ThreadID) -> Index? {
        entries.index(forKey: thread)
    }

    /// The index of a thread, which is inserted if it is missing.
    package mutating func use(_ thread: ThreadID) -> Index {
        if let index = entries.index(forKey: thread) {
            entries.values[index].isTouched = true
            return index
        }
        entries[thread] = ThreadEntry()
        ages.append(thread)
        guard let index = entries.index(forKey: thread) else { preconditionFailure("the thread was inserted above") }
        return index
    }

    /// Accepts a numbered event as the head of its thread; the window keeps the newest `limit` events.
    package mutating func accept(_ event: LogEvent, at index: Index, limit: Int) {
        windowEvents -= entries.values[index].log?.windowCount ?? 0
        entries.values[index].log?.accept(event, limit: limit)
        windowEvents += entries.values[index].log?.windowCount ?? 0
    }

    /// Clears a deleted thread, whose numbering starts over.
    package mutating func restart(at index: Index, in epoch: Epoch) {
        entries.values[index].isForgotten = entries.values[index].isAsked
        windowEvents -= entries.values[index].log?.windowCount ?? 0
        entries.values[index].log?.restart(in: epoch)
    }

    /// Evicts threads above the bounds, by second chance: a thread used since it was last inspected is kept once more.
    package mutating func forget() {
        for _ in 0..<Self.inspectedAtOnce {
            guard entries.count > limit || windowEvents > windowLimit, let thread = ages.popFirst() else { return }
            guard let entry = entries[thread] else { continue }
            if entry.isTouched || !entry.canBeForgotten {
                entries[thread]?.isTouched = false
                ages.append(thread)
            } else {
                windowEvents -= entry.log?.windowCount ?? 0
                entries[thread] = nil
            }
        }
    }
}
