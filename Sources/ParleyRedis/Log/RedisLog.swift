package import Logging
package import ParleyModel
import Synchronization

/// The message log on Redis: one script performs a whole append.
///
/// Duties:
/// - Owns the `AppendLanes`, the `SendLookups` before them and the appends in progress behind one lock, held for its
///   steps only. A command is passed to its connection under the lock, so that the order of the lanes is that of the
///   wire.
/// - Queries the store in `run` for what is unknown to Redis, at most `requestsAtOnce` queries at a time.
///
/// An append during which the connection is lost fails as `unavailable`, although Redis may have executed it: a repeat
/// under the same `clientID` gets its receipt.
package final class RedisLog: MessageLog {
    package typealias Completion = @Sendable (Result<Receipt, AppendError>) -> Void

    struct State {
        var lanes: AppendLanes
        var lookups: SendLookups
        /// The appends whose threads are to be checked, by host.
        var unchecked: [Int: [AppendLanes.Request]] = [:]
        /// The minimum lead of each host's clock over this node's, in milliseconds; `nil` until the host has reported
        /// its time.
        var leads: [Int64?]
        var pending: [AppendLanes.Request: PendingAppend] = [:]
        var lastRequest: AppendLanes.Request = 0
        var isStopped = false
    }

    /// A store or log query that an append waits for.
    enum StoreRequest: Sendable {
        /// Whether the store has the sends of the next batch.
        case sends
        /// Where the append's thread ends, and whether the store has the send.
        case end(AppendLanes.Request)
        /// What the store has of the threads of a host that must be checked.
        case check(host: Int)
        /// Whether the message is among the newest events.
        case newest(AppendLanes.Request)
    }

    /// The maximum size of a payload without its position: no reader takes a larger one.
    private static let payloadBytes = RESPLimits().bulkBytes - 1024
    /// A host's clock that falls back by this much, in milliseconds, counts as reset.
    private static let clockStep: Int64 = 5000

    let hosts: RedisHosts
    let history: any LogHistory
    let codec: EventCodec
    let checks: ThreadChecks
    let progress: HostProgress
    private let digest: SendDigest
    let clock: WallClock
    private let logger: Logger
    let state: Mutex<State>
    /// Bounded by the appends in progress, which the connections bound.
    let storeRequests = AsyncStream.makeStream(of: StoreRequest.self, bufferingPolicy: .unbounded)

    var settings: RedisSettings { hosts.settings }
    var names: ChannelNames { hosts.layout.names }

    /// - Parameter clock: dates the tokens of an encrypted layer, and is compared with the clock of Redis.
    package init(hosts: RedisHosts, history: any LogHistory, clock: WallClock = .system, logger: Logger) {
        codec = EventCodec(hosts.settings.channels)
        self.clock = clock
        self.hosts = hosts
        self.history = history
        self.logger = logger
        let checks = ThreadChecks(hosts: hosts, history: history, logger: logger)
        self.checks = checks
        progress = HostProgress(hosts: hosts, history: history, checks: checks, logger: logger)
        let settings = hosts.settings.log
        digest = SendDigest(secret: settings.secret)
        state = Mutex(
            State(
                lanes: AppendLanes(
                    threads: settings.threads, waitingPerThread: settings.waitingPerThread, waiting: settings.waiting),
                lookups: SendLookups(waitingPerThread: settings.waitingPerThread, waiting: settings.waiting),
                leads: Array(repeating: nil, count: hosts.commands.count)))
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
        let pending = PendingAppend(draft: draft, payload: payload, digest: digest, completion: completion)
        let now = pending.name == nil ? 0 : milliseconds
        let host = hosts.layout.host(of: draft.thread)
        let isTaken = state.withLock { state in
            guard !state.isStopped else { return false }
            state.lastRequest += 1
            let request = state.lastRequest
            var pending = pending
            var needsLookup = pending.name != nil
            if needsLookup, !isClaimed {
                needsLookup = !isProvable(pending, now: now, lead: state.leads[host])
                if needsLookup, state.lookups.isStuck { (needsLookup, pending.isChecked) = (false, true) }
            }
            switch state.lookups.admit(request, to: draft.thread, needsLookup: needsLookup) {
            case .refused: return false
            case .proceeds: return enter(request, pending, &state)
            case .waits:
                state.pending[request] = pending
                if needsLookup { isClaimed ? claim(request, pending) : requestLookup(for: request, &state) }
                return true
            }
        }
        if !isTaken { completion(.failure(.unavailable("too many sends are waiting"))) }
    }

    /// Puts an append into the lane of its thread.
    /// - Returns: `false` if too many are waiting there.
    func enter(_ request: AppendLanes.Request, _ append: PendingAppend, _ state: inout State) -> Bool {
        let sendings = state.lanes.append(
            request, to: append.draft.thread, goesAlone: append.mayBeInLog, made: append.unprovenTime)
        guard let sendings else { return false }
        state.pending[request] = append
        state.pending[request]?.isInLane = true
        send(sendings, &state)
        return true
    }

    func send(_ sendings: [AppendLanes.Sending], _ state: inout State) {
        for sending in sendings {
            state.pending[sending.request]?.epoch = sending.epoch
            send(sending.request, &state)
        }
    }

    func send(_ request: AppendLanes.Request, _ state: inout State) {
        state.pending[request]?.attempts += 1
        guard let append = state.pending[request] else { return }
        guard !append.mayBeInLog else {
            storeRequests.continuation.yield(.newest(request))
            return
        }
        let thread = append.draft.thread
        let connection = hosts.commands[hosts.layout.host(of: thread)]
        let incarnation = connection.knownIncarnation
        let mark = incarnation?.mark ?? ServerIncarnation.unknown
        state.pending[request]?.mark = mark
        let command = append.command(hosts, seen: hosts.seen[thread], mark: mark)
        // Held strongly: an append is completed even if all other references to the log are gone.
        connection.send(command, server: incarnation?.server) { self.answered(request, AppendReply($0)) }
    }

    /// Handles the reply of Redis.
    private func answered(_ request: AppendLanes.Request, _ reply: AppendReply) {
        guard let append = state.withLock({ $0.pending[request] }) else { return }
        let thread = append.draft.thread
        switch reply {
        case .accepted(let head, let time):
            hosts.seen.note(head.position, of: thread)
            progress.appended(on: hosts.layout.host(of: thread))
            if codec.encrypts, settings.channels.core == nil { publishToDjango(append.draft, head) }
            if append.name != nil { noteClock(time, of: thread) }
            let receipt = Receipt(
                thread: thread, position: head.position, milliseconds: head.milliseconds,
                messageID: append.draft.message?.id)
            let isDoubtful = head.doubt > time
            finish(request, .accepted(head.epoch, isDoubtful: isDoubtful, doubt: head.doubt), .success(receipt))
        case .sentBefore(let first):
            finish(request, .finished, .success(first.receipt(in: thread)))
        case .usedBefore(let first):
            finish(request, .finished, compare(first, append))
        case .unknownThread where append.epoch == nil, .behind where append.epoch == nil:
            storeRequests.continuation.yield(.end(request))
        case .unknownSend where append.isChecked || append.attempts >= PendingAppend.maximumAttempts:
            // The store was queried already; querying it again would loop.
            finish(request, .finished, .failure(.unavailable("Redis does not accept the send")))
        case .unknownSend:
            noteClock(nil, of: thread)
            state.withLock { requestLookup(for: request, &$0) }
        case .unchecked where append.attempts >= PendingAppend.maximumAttempts:
            finish(request, .finished, .failure(.unavailable("the thread could not be checked")))
        case .unchecked where append.mark == ServerIncarnation.unknown && append.epoch == nil && isKnown(thread):
            // Sent before the new connection had told the incarnation: the thread may be checked.
            state.withLock { send(request, &$0) }
        case .unchecked where append.epoch == nil:
            state.withLock { enqueueCheck(request, hosts.layout.host(of: thread), &$0) }
        case .unknownThread, .behind, .otherEpoch, .unchecked:
            returned(request, thread)
        case .withdrawn:
            finish(request, .finished, .failure(.unavailable("the send took too long")))
        case .noScript:
            returned(request, thread, loadsScripts: true)
        case .failed(let reason):
            logger.debug("append failed", metadata: ["reason": "\(reason)"])
            finish(request, .finished, .failure(.unavailable(reason)))
        }
    }

    /// Whether the incarnation of the thread's host is known.
    private func isKnown(_ thread: ThreadID) -> Bool {
        hosts.commands[hosts.layout.host(of: thread)].knownIncarnation != nil
    }

    /// Publishes an event of an encrypted layer to Django, which is possible only once the position is known. If this
    /// node ends before, Django's consumers miss the event; nodes receive it from the script. Consumers may see events
    /// of several nodes in another order.
    private func publishToDjango(_ draft: EventDraft, _ head: PackedHead) {
        guard case .message = draft.body, !draft.isKnownToDjango else { return }
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

    /// Handles an append that was not executed: it is sent again when all before it are back.
    ///
    /// The scripts are loaded in the same step. Otherwise an append in between would be sent behind the scripts and
    /// overtake this one. (Another node that loads them at the same time can still cause that between two appends of a
    /// pipeline; only an administrator makes Redis forget scripts.)
    private func returned(_ request: AppendLanes.Request, _ thread: ThreadID, loadsScripts: Bool = false) {
        let attempts = state.withLock { $0.pending[request]?.attempts ?? 0 }
        guard attempts < PendingAppend.maximumAttempts else {
            return finish(request, .finished, .failure(.unavailable("Redis does not keep the scripts")))
        }
        state.withLock { state in
            state.pending[request]?.seed = nil
            if loadsScripts { hosts.commands[hosts.layout.host(of: thread)].loadScripts() }
            send(state.lanes.answered(request, of: thread, .returned), &state)
        }
    }

    func finish(
        _ request: AppendLanes.Request, _ outcome: AppendLanes.Outcome, _ result: Result<Receipt, AppendError>
    ) {
        let completion = state.withLock { state in
            let append = state.pending.removeValue(forKey: request)
            if let append { send(state.lanes.answered(request, of: append.draft.thread, outcome), &state) }
            return append?.completion
        }
        completion?(result)
    }

    /// Decides about a `clientID` that seems to have been used for another message.
    private func compare(_ first: AppendReply.First, _ append: PendingAppend) -> Result<Receipt, AppendError> {
        guard let message = append.draft.message else { return .failure(.conflict) }
        let thread = append.draft.thread
        return switch digest.compare(first.digest, with: message, in: thread) {
        case .different: .failure(.conflict)
        // If Redis recorded the send under another secret, the `clientID` decides.
        case .same, .unknown: .success(first.receipt(in: thread))
        }
    }

    // MARK: Clock of Redis

    var milliseconds: Int64 { clock.milliseconds }

    /// Records the time of a host; `nil` if its known lead is wrong.
    private func noteClock(_ milliseconds: Int64?, of thread: ThreadID) {
        let lead = milliseconds.map { $0 - clock.milliseconds }
        let host = hosts.layout.host(of: thread)
        state.withLock { state in
            state.leads[host] = lead.map { lead in
                // A late reply shows a smaller lead than the clock has; a clock that was set back shows a much smaller
                // one.
                guard let known = state.leads[host], known - lead < Self.clockStep else { return lead }
                return max(lead, known)
            }
        }
    }

    /// Whether Redis will most likely accept the time of the `clientID` as proof that it is new. If it does not, the
    /// store is queried then, and later sends may overtake this one.
    func isProvable(_ append: PendingAppend, now: Int64, lead: Int64?) -> Bool {
        guard let made = append.name?.made, let lead else { return false }
        let half = settings.log.onceMilliseconds / 2
        // Both clocks are truncated to whole milliseconds.
        return made <= now + lead + 1 && made > now + lead - half + min(60_000, half / 4)
    }
}
