package import ParleyModel
import Synchronization

/// Moves read cursors for sockets: never beyond the end of the log, and published only within the user's budget.
/// The last mark of a burst is always published.
///
/// Protected by a lock. Slow work runs in the background, and ends when nothing waits.
package final class ReadMarker: Sendable {
    /// Called once, on any thread, when the mark, or a later mark that replaced it, is durable.
    package typealias Completion = @Sendable (Result<Void, MessagingError>) -> Void
    private typealias Line = ReadMarkScheduler<Completion>

    /// The interval at which held marks are checked against the budgets.
    package static let pause = Duration.milliseconds(20)

    private struct State {
        var line: Line
        var isKeeping = false
        var isWaiting = false
    }

    private let log: any MessageLog
    private let marks: any ReadMarks
    private let bus: any ThreadBus
    private let clock: WallClock
    private let settings: BudgetSettings
    private let state: Mutex<State>

    package init(
        log: any MessageLog, marks: any ReadMarks, bus: any ThreadBus, clock: WallClock, settings: BudgetSettings
    ) {
        self.log = log
        self.marks = marks
        self.bus = bus
        self.clock = clock
        self.settings = settings
        state = Mutex(State(line: Line(limit: settings.limits.reads.burst)))
    }

    /// Moves the read cursor of a member. Never blocks.
    /// - Parameters:
    ///   - seq: The new cursor, which may be lower than the current one; `nil`, or a seq above the end, means the end.
    ///   - notifiesMembers: Whether members are notified. If not, a mark without a `seq` moves the cursor to the end of the
    ///     stored log at the time of writing.
    package func markRead(
        _ thread: ThreadID, through seq: Int64?, _ budgets: UserBudgets, notifiesMembers: Bool = true,
        completion: @escaping Completion
    ) {
        let entry = Line.Entry(
            thread: thread, budgets: budgets, seq: seq, madeAt: clock.milliseconds, notifiesMembers: notifiesMembers,
            completions: [completion])
        let verdict = state.withLock { state in
            state.line.put(entry) { budgets.take(.reads, at: settings.uptime()) == .granted }
        }
        guard verdict == .waits else {
            let perSecond = max(1, settings.limits.reads.perSecond)
            let wait = Int64(settings.limits.reads.burst) * 1000 / Int64(perSecond)
            return completion(.failure(.rateLimited(afterMilliseconds: max(1, wait))))
        }
        startPending()
    }

    /// Starts the background work that is due.
    private func startPending() {
        let (keeps, waits) = state.withLock { state in
            let keeps = state.line.hasGranted && !state.isKeeping
            let waits = state.line.hasHeld && !state.isWaiting
            if keeps { state.isKeeping = true }
            if waits { state.isWaiting = true }
            return (keeps, waits)
        }
        if keeps, !settings.submit({ await self.keepGranted() }) { failAll() }
        if waits, !settings.submit({ await self.grantHeld() }) { failAll() }
    }

    /// Fails all waiting marks, since background work is rejected.
    private func failAll() {
        let entries = state.withLock { state in
            state.isKeeping = false
            state.isWaiting = false
            return state.line.takeAll()
        }
        for entry in entries { complete(entry, .failure(Self.unavailable)) }
    }

    private func grantHeld() async {
        var hasHeld = true
        while hasHeld {
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return failAll() }
            hasHeld = state.withLock { state in
                let now = settings.uptime()
                state.line.grantHeld { $0.take(.reads, at: now, isCounted: false) == .granted }
                state.isWaiting = state.line.hasHeld
                return state.isWaiting
            }
            startPending()
        }
    }

    private func keepGranted() async {
        while true {
            let entries = state.withLock { state in
                let entries = state.line.takeGranted()
                if entries.isEmpty { state.isKeeping = false }
                return entries
            }
            if entries.isEmpty { return }
            await keep(entries)
        }
    }

    // MARK: Writing

    private static let unavailable = MessagingError.unavailable("the read mark was not stored; send it again")

    private func keep(_ entries: [Line.Entry]) async {
        let threads = Set(entries.lazy.filter(\.needsEnd).map(\.thread))
        if threads.isEmpty {
            for entry in entries { keep(entry, through: entry.seq) }
        } else if let heads = try? await log.heads(of: Array(threads)) {
            for entry in entries {
                let end = heads[entry.thread]?.position.seq ?? 0
                keep(entry, through: entry.needsEnd ? min(entry.seq ?? end, end) : nil)
            }
        } else if entries.count == 1 {
            for entry in entries { complete(entry, .failure(Self.unavailable)) }
        } else {
            // One of several hosts may be unavailable.
            for entry in entries where !settings.submit({ await self.keep([entry]) }) {
                complete(entry, .failure(Self.unavailable))
            }
        }
    }

    private func keep(_ entry: Line.Entry, through seq: Int64?) {
        let user = entry.budgets.user
        marks.markRead(entry.thread, by: user, through: seq, madeAt: entry.milliseconds) { [bus, clock] isKept in
            // Members are notified after the mark is durable.
            if isKept, entry.notifiesMembers, let seq {
                bus.publish(.read(user, seq: seq, date: clock.seconds), in: entry.thread)
            }
            for completion in entry.completions { completion(isKept ? .success(()) : .failure(Self.unavailable)) }
        }
    }

    private func complete(_ entry: Line.Entry, _ result: Result<Void, MessagingError>) {
        for completion in entry.completions { completion(result) }
    }
}
