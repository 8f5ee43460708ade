import Foundation
import Logging

/// Performs the decisions of a ``ChatMachine``: stores its changes, then sends, connects and wakes observers.
///
/// The actor owns all state. It runs on a queue of its own, because the storage blocks.
actor Engine {
    nonisolated let executor = QueueExecutor(label: "parley.client")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let configuration: ChatConfiguration
    let server: ServerAddress
    let storage: any ChatStorage
    let transport: any ChatTransport
    /// The copies of files that wait to be sent.
    nonisolated let stage: FileStage
    let logger: Logger

    /// A signal for changes of the connection's state, the list of threads, presence, and the number of unsent entries.
    nonisolated let states = Signal()
    nonisolated let list = Signal()
    nonisolated let presence = Signal()
    nonisolated let profiles = Signal()
    nonisolated let pendingCounts = Signal()
    /// Signals for changes of the user's invitations, and of invitations and requests of threads.
    nonisolated let invitations = Signal()
    nonisolated let entrances = Signal()
    nonisolated let blocks = Signal()

    var core: ChatMachine
    var random: ClientRandom
    var windows: [Int: Window] = [:]
    var lastWindow = 0
    /// The newest message of each thread, as shown in the list.
    var previews: [String: StoredMessage] = [:]
    var lastCredentials: ChatCredentials?
    /// The latest send of each thread that copies files or waits for one that does. Sends of one thread are stored one
    /// after the other.
    var turns: [String: (number: Int, task: Task<Result<ChatMessage, ChatError>, Never>)] = [:]
    var lastTurn = 0
    /// The number of places in the outbox that are reserved for sends that are not stored yet.
    var reservedEntries = 0
    /// The threads whose description is being loaded, and whether it has changed since.
    var reloads: [String: Bool] = [:]
    var entranceState = EntranceState()
    /// The number of messages and notices stored since the cache was measured.
    var unmeasuredEntries = 0
    private(set) var isShutDown = false

    /// The number of the current connection attempt. Reports of earlier attempts are ignored.
    private var attempt = 0
    private var outgoing: AsyncStream<String>.Continuation?
    private var closing: (@Sendable () async -> Void)?
    private var timer: (at: Duration, task: Task<Void, Never>)?
    /// Whether the list of threads must be loaded, or loaded again.
    private var needsListing = false
    private var listing: Task<Void, Never>?
    private var waiting: [Int: CheckedContinuation<ServerFrame.Page, any Error>] = [:]
    private var lastRequest = 0
    private var lastPendingCount = 0

    init(_ configuration: ChatConfiguration, storage: (any ChatStorage)? = nil) throws(ChatError) {
        self.configuration = configuration
        server = try ServerAddress(configuration.server)
        logger = configuration.logger
        if let storage {
            self.storage = storage
        } else {
            switch configuration.storage {
            case .file(let path): self.storage = try SQLiteStorage(path: path)
            case .inMemory: self.storage = MemoryStorage()
            }
        }
        let stored: StoredState
        do {
            stored = try self.storage.load()
        } catch {
            throw .storage("\(error)")
        }
        switch configuration.storage {
        case .file(let path):
            stage = FileStage(
                folder: path + ".files", limit: configuration.pendingFilesLimit, entries: stored.outbox)
        case .inMemory:
            let limit = min(configuration.pendingFilesLimit, ChatConfiguration.pendingFilesInMemory)
            stage = FileStage(folder: nil, limit: limit, entries: [])
        }
        transport = configuration.transport ?? PlatformTransport()
        var limits = ChatMachine.Limits()
        limits.catchUp = configuration.catchUpLimit
        limits.attemptsWhileUnavailable = configuration.attemptsWhileUnavailable
        core = ChatMachine(policy: configuration.reconnect, limits: limits, seed: configuration.seed)
        random = ClientRandom(seed: configuration.seed.map { $0 &+ 1 })
        core.restore(stored)
        lastPendingCount = core.outbox.pendingCount
    }

    // MARK: Events

    var now: Now {
        Now(uptime: configuration.clock.uptime, milliseconds: configuration.clock.date.milliseconds)
    }

    /// Handles an event. Its changes are stored before any action is performed.
    func process(_ event: MachineEvent) throws(ChatError) {
        guard !isShutDown else { throw .shutDown }
        let output = core.handle(event, at: now)
        do {
            try storage.apply(output.changes)
        } catch {
            storageFailed(error)
            throw .storage("\(error)")
        }
        perform(output)
        boundCache(output.changes)
    }

    /// Handles an event that has no caller to report to. A failure of the storage is logged where it occurs.
    func note(_ event: MachineEvent) { try? process(event) }

    /// Continues with the stored state, and loads lost changes from the server again.
    private func storageFailed(_ error: any Error) {
        logger.error("cannot write the client's database", metadata: ["error": "\(error)"])
        endConnection()
        perform(core.handle(.closed(code: nil), at: now))
        // The discarded actions include the answers to these requests.
        for continuation in waiting.values { continuation.resume(throwing: ChatError.storage("\(error)")) }
        waiting = [:]
        guard let stored = try? storage.load() else { return }
        core.restore(stored)
        for id in windows.keys.sorted() { anchor(id) }
        list.raise()
    }

    private func perform(_ output: MachineOutput) {
        for action in output.actions { perform(action) }
        for thread in output.messages { previews[thread] = nil }
        for (id, window) in windows where output.messages.contains(window.thread) {
            if output.resets.contains(window.thread) { anchor(id) }
            window.signal.raise()
        }
        if output.isListChanged {
            list.raise()
            showNewThreads()
        }
        if output.isPresenceChanged { presence.raise() }
        if output.isProfilesChanged { profiles.raise() }
        if output.isBlocksChanged { blocks.raise() }
        noteEntrances(output)
        let pendingCount = core.outbox.pendingCount
        if pendingCount != lastPendingCount {
            lastPendingCount = pendingCount
            pendingCounts.raise()
        }
        if output.isStateChanged {
            states.raise()
            if core.connection.phase == .connected {
                for id in windows.keys.sorted() { fillIfNeeded(id) }
                listIfNeeded()
            } else {
                // The loading may be waiting for its next attempt; the next connection starts another.
                listing?.cancel()
            }
        }
        setTimer()
    }

    private func perform(_ action: MachineAction) {
        switch action {
        case .connect(let ticket, let reason):
            endConnection()
            let number = attempt
            Task { await open(number, ticket: ticket, reason) }
        case .disconnect: endConnection()
        case .transmit(let text): outgoing?.yield(text)
        case .answer(let request, let result):
            waiting.removeValue(forKey: request)?.resume(with: result.mapError { $0 as any Error })
        case .listThreads:
            needsListing = true
            listIfNeeded()
        case .reload(let thread): reload(thread)
        case .countUnread(let thread, let seq): countUnread(thread, after: seq)
        case .upload(let step): perform(step)
        case .deleteAttachments(let ids): delete(ids)
        case .removeFiles(let entry): Task { await stage.remove(entry) }
        }
    }

    private func countUnread(_ thread: String, after seq: Int) {
        guard let record = core.threads[thread], let user = core.accountID,
            let range = try? storage.range(in: thread, containing: record.seq), range.lowerBound <= seq + 1,
            let count = try? storage.unread(in: thread, after: seq, by: user)
        else { return }
        Task { note(.unreadCounted(thread: thread, seq: seq, count: count)) }
    }

    /// Loads the list of threads until it succeeds or the connection ends, and again if it was requested in the
    /// meantime. The next connection continues.
    private func listIfNeeded() {
        guard needsListing, listing == nil, core.isGreeted else { return }
        listing = Task {
            var backoff = FullJitterBackoff(configuration.reconnect)
            while needsListing, core.isGreeted {
                needsListing = false
                if await listThreads() { continue }
                needsListing = true
                let pause = backoff.next(using: &random)
                guard await sleep(pause) else { break }
            }
            listing = nil
            listIfNeeded()
        }
    }

    /// - Returns: Whether all pages were loaded.
    private func listThreads() async -> Bool {
        var cursor: String?
        repeat {
            guard let page = try? await threadPage(after: cursor) else { return false }
            note(.listed(page.threads))
            cursor = page.cursor
        } while cursor != nil
        return true
    }

    /// - Returns: Whether the time has passed and the client was not shut down.
    func sleep(_ pause: Duration) async -> Bool {
        let clock = configuration.clock
        return (try? await clock.sleep(until: clock.uptime + pause)) != nil && !isShutDown
    }

    private func setTimer() {
        guard let deadline = core.deadline, !isShutDown else { return }
        if let timer, timer.at <= deadline { return }
        timer?.task.cancel()
        let clock = configuration.clock
        let task = Task { [weak self] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            await self?.timeReached()
        }
        timer = (deadline, task)
    }

    private func timeReached() {
        timer = nil
        note(.tick)
        setTimer()
    }

    // MARK: Connection

    private func open(_ number: Int, ticket: String?, _ reason: CredentialReason) async {
        guard number == attempt else { return }
        do {
            var headers = [(name: "Sec-WebSocket-Protocol", value: "parley.v1")]
            if ticket == nil {
                let credentials = try await configuration.credentials(reason)
                guard number == attempt else { return }
                guard let credentials else { return note(.credentialsMissing) }
                lastCredentials = credentials
                headers += credentials.headers
            }
            let socket = try await transport.connect(to: server.socket(ticket: ticket), headers: headers)
            guard number == attempt, !isShutDown else { return await socket.close(code: 1000) }
            run(socket, number)
        } catch {
            guard number == attempt else { return }
            let failure = error as? HandshakeFailure
            logger.debug("cannot connect", metadata: ["error": "\(error)"])
            note(.openFailed(status: failure?.status, retryAfter: failure?.retryAfter.map { Duration(retryAfter: $0) }))
        }
    }

    private func run(_ socket: any ChatSocket, _ number: Int) {
        let (frames, outgoing) = AsyncStream.makeStream(of: String.self)
        self.outgoing = outgoing
        closing = { await socket.close(code: 1000) }
        Task {
            // A socket that cannot send reports that it is closed.
            for await frame in frames { try? await socket.send(frame) }
        }
        note(.opened)
        Task {
            while number == attempt {
                let events = await socket.receive()
                guard number == attempt else { return }
                take(events)
            }
        }
    }

    private func take(_ events: [SocketEvent]) {
        var frames: [ServerFrame] = []
        var closed: Int??
        for event in events {
            switch event {
            case .text(let bytes): frames.append(ServerFrame(bytes))
            case .activity: continue
            case .closed(let code): closed = .some(code)
            }
        }
        note(frames.isEmpty ? .activity : .frames(frames))
        guard case .some(let code) = closed else { return }
        logger.debug("connection closed", metadata: ["code": "\(code ?? 0)"])
        endConnection()
        note(.closed(code: code))
    }

    /// Ends the connection or the attempt to connect, and ignores its later reports.
    private func endConnection() {
        attempt += 1
        outgoing?.finish()
        outgoing = nil
        if let closing { Task { await closing() } }
        closing = nil
    }

    // MARK: Requests

    /// Requests a page of the log, which is cached when this method returns.
    func history(of thread: String, before: Int?, after: Int?, limit: Int) async throws -> ServerFrame.Page {
        lastRequest += 1
        let request = lastRequest
        return try await withCheckedThrowingContinuation { continuation in
            waiting[request] = continuation
            do throws(ChatError) {
                try process(
                    .history(request: request, thread: thread, before: before, after: after, limit: limit))
            } catch {
                waiting.removeValue(forKey: request)?.resume(throwing: error)
            }
        }
    }

    // MARK: End

    /// Disconnects until the next `start`.
    func stop() {
        note(.stop)
        endConnection()
    }

    /// Closes the connection. The outbox is already stored.
    func shutDown() {
        guard !isShutDown else { return }
        note(.stop)
        endConnection()
        isShutDown = true
        timer?.task.cancel()
        timer = nil
        for window in windows.values { window.signal.finish() }
        windows = [:]
        states.finish()
        list.finish()
        presence.finish()
        profiles.finish()
        pendingCounts.finish()
        invitations.finish()
        entrances.finish()
        blocks.finish()
        for continuation in waiting.values { continuation.resume(throwing: ChatError.shutDown) }
        waiting = [:]
        storage.close()
    }
}
