package import ParleyModel

/// The threads that a `LogCore` remembers, and which of them it forgets.
///
/// Bounded by the number of threads and of events in their windows; the bounds are soft, since a thread that the store
/// does not have wholly is never forgotten (the log bounds how much of that there is).
package struct ThreadTable: Sendable {
    /// Good until a thread is inserted or forgotten.
    package typealias Index = Dictionary<ThreadID, ThreadEntry>.Index

    /// How many threads are looked at in one `forget`.
    private static var looks: Int { 8 }
    /// The lowest bound for threads: with fewer, a thread could go before whoever asked for it has looked at it.
    private static var leastThreads: Int { 16 }

    private let limit: Int
    private let windowLimit: Int
    private var entries: [ThreadID: ThreadEntry] = [:]
    /// Every thread once, in about the order of last use.
    private var ages = FIFO<ThreadID>()
    /// Events in all windows.
    private var windowEvents = 0

    /// - Parameters:
    ///   - limit: threads; at least 16.
    ///   - windowLimit: events over all threads.
    package init(limit: Int, windowLimit: Int) {
        self.limit = max(Self.leastThreads, limit)
        self.windowLimit = windowLimit
    }

    package var count: Int { entries.count }

    package var indices: Dictionary<ThreadID, ThreadEntry>.Indices { entries.indices }

    package subscript(thread: ThreadID) -> ThreadEntry? { entries[thread] }

    package subscript(index: Index) -> ThreadEntry {
        get { entries.values[index] }
        // In place: a copy of an entry would copy its window.
        _modify { yield &entries.values[index] }
    }

    /// The message of a draft that may be among the newest events, if it is.
    package func event(of draft: EventDraft) -> LogEvent? {
        guard draft.mayBeThere, case .message(let message) = draft.body else { return nil }
        return entries[draft.thread]?.log?.event(of: message.id)
    }

    package func index(of thread: ThreadID) -> Index? {
        entries.index(forKey: thread)
    }

    /// The place of a thread, which is put there if need be.
    package mutating func use(_ thread: ThreadID) -> Index {
        if let index = entries.index(forKey: thread) {
            entries.values[index].isTouched = true
            return index
        }
        entries[thread] = ThreadEntry()
        ages.append(thread)
        guard let index = entries.index(forKey: thread) else { preconditionFailure("the thread was just put there") }
        return index
    }

    /// A numbered event becomes the head of its thread; the window keeps the newest `limit`.
    package mutating func accept(_ event: LogEvent, at index: Index, limit: Int) {
        windowEvents -= entries.values[index].log?.windowCount ?? 0
        entries.values[index].log?.accept(event, limit: limit)
        windowEvents += entries.values[index].log?.windowCount ?? 0
    }

    /// The thread was deleted: nothing of it is left, and its numbering begins anew.
    package mutating func restart(at index: Index, in epoch: Epoch) {
        entries.values[index].isForgotten = entries.values[index].isAsked
        windowEvents -= entries.values[index].log?.windowCount ?? 0
        entries.values[index].log?.restart(in: epoch)
    }

    /// Forgets threads that are too much, by second chance: one used since it was last looked at is kept once more.
    package mutating func forget() {
        for _ in 0..<Self.looks {
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
