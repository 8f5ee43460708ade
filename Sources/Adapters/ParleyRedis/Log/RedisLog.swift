package import Logging
import ParleyChannels
package import ParleyModel
import ParleyRedisClient
import Synchronization

/// The message log on Redis: one script performs a whole append.
///
/// Duties:
/// - Passes events to the `AppendCore`, behind one lock, and performs its actions outside the lock: one caller at a
///   time performs the actions of all, so that commands reach their connection in the order of the core.
/// - Queries the store in `run` for what is unknown to Redis, at most `requestsAtOnce` queries at a time.
///
/// An append during which the connection is lost fails as `unavailable`, although Redis may have executed it: a repeat
/// under the same `clientID` gets its receipt.
package final class RedisLog: MessageLog {
    package typealias Completion = PendingAppend.Completion

    private struct State {
        var core: AppendCore
        /// Whether a caller performs actions; it also performs the actions that are added in the meantime.
        var isPerforming = false
        /// An empty array whose memory the core uses next.
        var spare: [AppendCore.Action] = []
    }

    /// The maximum size of a payload without its position: no reader takes a larger one.
    private static let payloadBytes = RESPLimits().bulkBytes - 1024

    let hosts: RedisHosts
    let history: any LogHistory
    let codec: EventCodec
    let checks: ThreadChecks
    let progress: HostProgress
    private let digest: SendDigest
    let clock: WallClock
    private let logger: Logger
    private let state: Mutex<State>
    /// Bounded by the appends in progress, which the connections bound.
    let storeQueries = AsyncStream.makeStream(of: AppendCore.StoreQuery.self, bufferingPolicy: .unbounded)

    var settings: RedisSettings { hosts.settings }
    var names: ChannelNames { hosts.layout.names }

    /// - Parameter clock: dates the tokens of an encrypted layer, and is compared with the clock of Redis.
    package init(hosts: RedisHosts, history: any LogHistory, clock: WallClock = .system, logger: Logger) {
        let codec = EventCodec(hosts.settings.channels)
        self.codec = codec
        self.clock = clock
        self.hosts = hosts
        self.history = history
        self.logger = logger
        let checks = ThreadChecks(hosts: hosts, history: history, logger: logger)
        self.checks = checks
        progress = HostProgress(hosts: hosts, history: history, checks: checks, logger: logger)
        let digest = SendDigest(secret: hosts.settings.log.secret)
        self.digest = digest
        state = Mutex(
            State(
                core: AppendCore(
                    hosts.settings.log, hosts: hosts.commands.count, digest: digest,
                    publishes: codec.encrypts && hosts.settings.channels.core == nil)))
        hosts.settle.withLock { settle in
            settle = { [weak checks] host throws(AppendError) in try await checks?.settle(host) }
        }
    }

    package var hostCount: Int { hosts.commands.count }

    package func host(of thread: ThreadID) -> Int { hosts.layout.host(of: thread) }

    // MARK: Appending

    package func append(_ draft: EventDraft, completion: @escaping Completion) {
        let payload: [UInt8]
        do throws(ChannelsCodecError) {
            payload = try codec.beginning(of: draft, seconds: clock.seconds)
        } catch {
            return completion(.failure(.unavailable("the event cannot be written: \(error)")))
        }
        guard payload.count <= Self.payloadBytes else {
            return completion(.failure(.unavailable("the event is too large: \(payload.count) bytes")))
        }
        let append = PendingAppend(
            draft: draft, payload: payload, host: hosts.layout.host(of: draft.thread), digest: digest,
            completion: completion)
        let now = append.name == nil ? 0 : clock.milliseconds
        handle { $0.append(append, at: now) }
    }

    /// Passes an event to the core and has its actions performed, by the caller or by the one already performing.
    @discardableResult
    func handle<Value: Sendable>(_ event: (inout AppendCore) -> Value) -> Value {
        var actions: [AppendCore.Action] = []
        var completion: AppendCore.Action?
        var isPerforming = false
        let value = state.withLock { state in
            let value = event(&state.core)
            guard !state.isPerforming, let first = state.core.actions.first else { return value }
            // Most replies cause only this action, and nothing has to wait for it.
            if case .complete = first, state.core.actions.count == 1 {
                completion = state.core.actions.removeLast()
                return value
            }
            (state.isPerforming, isPerforming) = (true, true)
            swap(&actions, &state.core.actions)
            swap(&state.core.actions, &state.spare)
            return value
        }
        if let completion { perform(completion) }
        while isPerforming {
            for action in actions { perform(action) }
            actions.removeAll(keepingCapacity: true)
            isPerforming = state.withLock { state in
                state.isPerforming = !state.core.actions.isEmpty
                if state.isPerforming { swap(&actions, &state.core.actions) } else { swap(&actions, &state.spare) }
                return state.isPerforming
            }
        }
        return value
    }

    private func perform(_ action: AppendCore.Action) {
        switch action {
        case .send(let request, let append): send(request, append)
        case .claim(let request, let append): claim(request, append)
        case .queryStore(let query): storeQueries.continuation.yield(query)
        case .loadScripts(let host): hosts.commands[host].loadScripts()
        case .publish(let draft, let head): publishToDjango(draft, head)
        case .complete(let completion, let result): completion(result)
        }
    }

    private func send(_ request: AppendCore.Request, _ append: PendingAppend) {
        let (thread, host) = (append.draft.thread, append.host)
        let connection = hosts.commands[host]
        let incarnation = connection.knownIncarnation
        let isMarked = incarnation != nil
        let command = append.command(
            hosts, seen: hosts.seen[thread], mark: incarnation?.mark ?? ServerIncarnation.unknown)
        // Held strongly: an append is completed even if all other references to the log are gone.
        connection.send(command, server: incarnation?.server) { result in
            let reply = AppendReply(result)
            switch reply {
            case .accepted(let head, _):
                self.hosts.seen.note(head.position, of: thread)
                self.progress.appended(on: host)
            case .failed(let reason):
                self.logger.debug("append failed", metadata: ["reason": "\(reason)"])
            default: break
            }
            let isUnmarked = !isMarked && self.hosts.commands[host].knownIncarnation != nil
            let now = self.clock.milliseconds
            self.handle { $0.replied(request, reply, isUnmarked: isUnmarked, at: now) }
        }
    }

    /// Claims a `clientID` on its host. If the host is unreachable, only the store is queried.
    private func claim(_ request: AppendCore.Request, _ append: PendingAppend) {
        guard let name = append.name, let command = append.claim(names, settings.log) else { return }
        let host = hosts.layout.ring.host(of: names.claim(name.sender, name.clientID))
        hosts.commands[host].send(command) { result in
            let now = self.clock.milliseconds
            self.handle { $0.claimed(request, ClaimReply(result), on: host, at: now) }
        }
    }

    /// Publishes an event of an encrypted layer to Django, which is possible only once the position is known. If this
    /// node ends before that, Django's consumers miss the event; nodes receive it from the script. Consumers may see
    /// the events of several nodes in a different order.
    private func publishToDjango(_ draft: EventDraft, _ head: PackedHead) {
        let event = LogEvent(
            thread: draft.thread, position: head.position, milliseconds: head.milliseconds,
            messageCount: head.messageCount, body: draft.body, origin: draft.origin)
        guard let payload = try? codec.bytes(of: event, seconds: clock.seconds) else { return }
        var command = RESPCommand(count: 3, capacity: payload.count + 128)
        command.append("PUBLISH")
        command.append(names.messages(of: draft.thread))
        command.append(payload)
        hosts.commands[hosts.layout.host(of: draft.thread)].send(command) { _ in }
    }
}
