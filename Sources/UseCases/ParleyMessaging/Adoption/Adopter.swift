import ParleyConcurrency
package import ParleyModel
import Synchronization

/// Takes messages of Django's `group_send` into the log; see decision 041.
///
/// Every node that hears an event appends it under the same `client_id`, so the log takes it once. Within a thread a node
/// appends in the order in which it has heard. A lock protects the queues; it is held for steps only.
package final class Adopter: Sendable {
    /// The outcome of an event, for metrics.
    package enum Outcome: Hashable, Sendable {
        case accepted
        /// Another node, or an earlier event under its `client_id`, was first.
        case repeated
        case failed(AdoptionFailure)
    }

    /// Bounds, and times in milliseconds.
    package struct Settings: Hashable, Sendable {
        /// Events that wait or are being taken in.
        package var waiting = 10_000
        /// Events of a thread that are taken in together.
        package var batch = 64
        /// The time that an event without a date of sending is remembered.
        package var rememberedFor: Int64 = 10_000
        /// The age at which such an event is given up, since other nodes may have heard it too long ago to be remembered.
        package var tooLate: Int64 = 5000
        /// The pauses between attempts while Redis or the database does not answer.
        package var pauses: [Duration] = [0.1, 0.2, 0.5, 1, 1, 2, 2, 2].map { .seconds($0) }

        package init() {}
    }

    /// An event on its way into the log.
    struct Item: Sendable {
        let send: ForeignSend
        /// Milliseconds of the uptime.
        let heard: Int64
        let failed: @Sendable (AdoptionFailure) -> Void
        /// Its own, or the derived one as soon as it is known.
        var clientID: String?
    }

    private struct State {
        var queues: AdoptionQueues<Item>
        /// Events that do not say when they were sent, and were heard lately.
        var heard: TTLCache<String, Bool>
    }

    let messaging: Messaging
    let names: any AdoptedNames
    let settings: Settings
    let count: @Sendable (Outcome) -> Void
    private let pause: @Sendable (Duration) async -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: called for each event.
    ///   - pause: waits; may return early.
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
        // Longer than the port remembers, since this begins earlier.
        let heard = TTLCache<String, Bool>(
            lifetime: settings.rememberedFor + settings.tooLate, capacity: 2 * settings.waiting)
        state = Mutex(State(queues: AdoptionQueues(limit: settings.waiting), heard: heard))
    }

    /// Milliseconds by a clock that never goes back.
    var uptime: Int64 { messaging.budgets.settings.uptime() / 1000 }

    /// Takes an event. Never blocks.
    /// - Parameter failed: called once, on any thread, unless the event is in the log.
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

    /// - Returns: `nil` if an equal event, from which nothing tells it apart, was heard lately.
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

    /// Background work is refused.
    private func refuseTurn(of thread: ThreadID) {
        while true {
            let items = state.withLock { $0.queues.take(thread, atMost: settings.batch) }
            if items.isEmpty { return }
            for item in items { item.failed(.overflow) }
            state.withLock { $0.queues.finished(items.count) }
        }
    }

    /// Takes events into the log, in order; repeats what fails since something does not answer.
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
