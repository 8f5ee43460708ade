import ParleyConcurrency
package import ParleyModel
import Synchronization

/// Adds messages of Django's `group_send` to the log; see decision 041.
///
/// Every node that receives an event appends it under the same `client_id`, so the log accepts it once. Within a thread, a node
/// appends events in the order in which it received them. A lock protects the queues, and is held only for single steps.
package final class Adopter: Sendable {
    /// The outcome of an event, for metrics.
    package enum Outcome: Hashable, Sendable {
        case accepted
        /// Another node was first, or an earlier event with its `client_id`.
        case repeated
        case failed(AdoptionFailure)
    }

    /// Limits, and times in milliseconds.
    package struct Settings: Hashable, Sendable {
        /// The maximum number of events that wait or are being added.
        package var waiting = 10_000
        /// The maximum number of events of a thread that are added together.
        package var batch = 64
        /// The time for which an event without a sending time is remembered.
        package var rememberedFor: Int64 = 10_000
        /// The age at which such an event is given up, since other nodes may have received it too long ago to remember it.
        package var tooLate: Int64 = 5000
        /// The pauses between attempts while Redis or the database does not respond.
        package var pauses: [Duration] = [0.1, 0.2, 0.5, 1, 1, 2, 2, 2].map { .seconds($0) }

        package init() {}
    }

    /// An event on its way to the log.
    struct Item: Sendable {
        let send: ForeignSend
        /// The uptime at which the event was received, in milliseconds.
        let heard: Int64
        let failed: @Sendable (AdoptionFailure) -> Void
        /// The event's own id, or the derived one once it is known.
        var clientID: String?
    }

    private struct State {
        var queues: AdoptionQueues<Item>
        /// The recently received events without a sending time.
        var heard: TTLCache<String, Bool>
    }

    let messaging: Messaging
    let names: any AdoptedNames
    let settings: Settings
    let count: @Sendable (Outcome) -> Void
    private let pause: @Sendable (Duration) async -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: Called for each event.
    ///   - pause: Waits; may return early.
    package init(
        _ messaging: Messaging, names: any AdoptedNames, settings: Settings = Settings(),
        count: @escaping @Sendable (Outcome) -> Void,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.messaging = messaging
        self.names = names
        self.settings = settings
        self.count = count
        self.pause = pause
        // This lifetime exceeds the port's, since it begins earlier.
        let heard = TTLCache<String, Bool>(
            lifetime: settings.rememberedFor + settings.tooLate, capacity: 2 * settings.waiting)
        state = Mutex(State(queues: AdoptionQueues(limit: settings.waiting), heard: heard))
    }

    /// The milliseconds of a clock that never goes back.
    var uptime: Int64 { messaging.budgets.settings.uptime() / 1000 }

    /// Adds an event to the log. Never blocks.
    /// - Parameter failed: Called once, on any thread, unless the event enters the log.
    package func adopt(_ request: AdoptionRequest, in thread: ThreadID, failed: @escaping @Sendable () -> Void) {
        let fail = { @Sendable [count] (failure: AdoptionFailure) in
            count(.failed(failure))
            failed()
        }
        switch request {
        case .refused(let failure): fail(failure)
        case .send(let send):
            switch put(Item(send: send, heard: uptime, failed: fail, clientID: send.clientID), in: thread) {
            case nil: fail(.equal)
            case .refused?: fail(.overflow)
            case .waits?: break
            case .begins?:
                if !messaging.budgets.settings.submit({ await self.turn(thread) }) { refuseTurn(of: thread) }
            }
        }
    }

    /// - Returns: `nil` if an equal event that cannot be distinguished from this one was received recently.
    private func put(_ item: Item, in thread: ThreadID) -> AdoptionQueues<Item>.Verdict? {
        let isNamed = item.clientID != nil || item.send.sentMicroseconds != nil
        let key = isNamed ? "" : "\(thread)\n\(Hex.encode(item.send.digest))"
        return state.withLock { state in
            if !isNamed, state.heard.value(for: key, at: item.heard) != nil { return nil }
            let verdict = state.queues.put(item, in: thread)
            if !isNamed, verdict != .refused { state.heard.store(true, for: key, at: item.heard) }
            return verdict
        }
    }

    // MARK: Turns

    private func turn(_ thread: ThreadID) async {
        while true {
            let items = state.withLock { $0.queues.take(thread, atMost: settings.batch) }
            if items.isEmpty { return }
            await takeIn(items, into: thread)
            state.withLock { $0.queues.finished(items.count) }
        }
    }

    /// Refuses the events of a thread because background work was rejected.
    private func refuseTurn(of thread: ThreadID) {
        while true {
            let items = state.withLock { $0.queues.take(thread, atMost: settings.batch) }
            if items.isEmpty { return }
            for item in items { item.failed(.overflow) }
            state.withLock { $0.queues.finished(items.count) }
        }
    }

    /// Adds events to the log in order. Repeats attempts that failed because a server did not respond.
    private func takeIn(_ items: [Item], into thread: ThreadID) async {
        var rest = items
        for delay in [.zero] + settings.pauses {
            if delay > .zero { await pause(delay) }
            rest = await attempt(rest, in: thread)
            if rest.isEmpty { return }
        }
        for item in rest { item.failed(.unavailable) }
    }
}
