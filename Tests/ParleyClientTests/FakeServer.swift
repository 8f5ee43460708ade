import ParleyClient
import ParleyJSON
import Synchronization

/// A server for one user, `alice`, and one thread, `t`: it keeps a log in memory, answers commands as the protocol says,
/// and can be cut off. Guarded by a mutex.
final class FakeServer: ChatTransport {
    struct State {
        var isReachable = true
        /// Sends are logged, but neither acknowledged nor delivered.
        var isMute = false
        /// Events by `seq`, from 1 on, as JSON.
        var log: [String] = []
        /// The `seq` of each `client_id`.
        var names: [String: Int] = [:]
        var commands: [JSONTree] = []
        var sockets: [FakeSocket] = []
        var connects = 0
        var textLimit = 4096
        /// So many histories are refused, as too many.
        var refusedHistories = 0
        /// So many listings of threads are answered with 503.
        var refusedListings = 0
        var listings = 0
        /// Threads of hello besides `t`, as JSON.
        var otherThreads: [String] = []
        /// Answers to listings wait until `releaseListings`.
        var isHoldingListings = false
        fileprivate var held: [CheckedContinuation<Void, Never>] = []
        /// All REST requests, in order.
        var requests: [TransportRequest] = []
        var attachments = FakeAttachments()
        /// Requests of uploads wait until `releaseUpload`.
        var isHoldingUploads = false
        /// So many requests of uploads do not wait.
        var permittedUploads = 0
        fileprivate var heldUploads: [CheckedContinuation<Void, Never>] = []
        /// Downloads are redirected there.
        var redirect: String?
        /// The profile of `alice`.
        var profile = JSONTree.object(["id": .text("a"), "username": .text("alice")])
    }

    let state = Mutex(State())

    func connect(to url: String, headers: [(name: String, value: String)]) async throws -> any ChatSocket {
        let socket = FakeSocket(self)
        let hello: String = try state.withLock { state in
            state.connects += 1
            guard state.isReachable else { throw ChatError.noAnswer("cut off") }
            state.sockets.append(socket)
            let threads = [MachineHarness.thread("t", epoch: "e", seq: state.log.count)] + state.otherThreads
            return """
                {"type":"hello","protocol":1,"user":{"id":"a","username":"alice"},"ping_interval_ms":25000,
                "limits":{"text_chars":\(state.textLimit)},
                "threads":[\(threads.joined(separator: ","))]}
                """
        }
        socket.push(hello)
        return socket
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard state.withLock({ $0.isReachable }) else { throw ChatError.noAnswer("cut off") }
        state.withLock { $0.requests.append(request) }
        if request.url.hasSuffix("/v1/threads") { return try await list() }
        if request.url.contains("/v1/attachments") {
            if ["POST", "PATCH"].contains(request.method) { await holdUpload() }
            return try state.withLock { state in
                guard state.isReachable else { throw ChatError.noAnswer("cut off") }
                if let redirect = state.redirect {
                    return TransportResponse(status: 302, headers: [("location", redirect)], body: [])
                }
                return try state.attachments.answer(request)
            }
        }
        return state.withLock { FakeServer.answer(request, &$0) }
    }

    private static func answer(_ request: TransportRequest, _ state: inout State) -> TransportResponse {
        func ok(_ text: String) -> TransportResponse {
            TransportResponse(status: 200, headers: [], body: Array(text.utf8))
        }
        if request.url.hasSuffix("/v1/me"), case .members(let members)? = try? JSONTree(parsing: request.body),
            case .members(let profile) = state.profile
        {
            let changed = profile.filter { old in !members.contains { $0.key == old.key } }
            state.profile = .object(changed + members.filter { $0.value != .null })
            return ok(state.profile.canonical)
        }
        if request.url.hasSuffix("/sessions") {
            return ok(
                #"{"sessions":[{"id":"s1","expires_ms":7000,"current":true},{"id":"s2","expires_ms":1,"current":false}]}"#
            )
        }
        if request.url.contains("/members") {
            func member(_ name: String, _ role: String) -> String {
                #"{"thread_id":"t","user":{"id":"\#(name)","username":"\#(name)"},"role":"\#(role)"}"#
            }
            return request.url.contains("cursor=bob")
                ? ok(#"{"members":[\#(member("carl", "later"))],"next_cursor":null}"#)
                : ok(
                    #"{"members":[\#(member("alice", "owner")),\#(member("bob", "member"))],"next_cursor":"bob"}"#)
        }
        if request.url.contains("storage.example") { return ok("\u{7}\u{7}") }
        return TransportResponse(status: 204, headers: [], body: [])
    }

    private func holdUpload() async {
        await withCheckedContinuation { waiter in
            let isHeld = state.withLock { state in
                guard state.isHoldingUploads else { return false }
                guard state.permittedUploads == 0 else {
                    state.permittedUploads -= 1
                    return false
                }
                state.heldUploads.append(waiter)
                return true
            }
            if !isHeld { waiter.resume() }
        }
    }

    /// Lets the next requests of uploads through, those that wait and those that come.
    func permitUploads(_ count: Int) {
        for _ in 0..<count where !releaseUpload() { state.withLock { $0.permittedUploads += 1 } }
    }

    /// Lets a request of an upload through.
    /// - Returns: Whether there was one.
    @discardableResult
    func releaseUpload() -> Bool {
        let waiter = state.withLock { $0.heldUploads.isEmpty ? nil : $0.heldUploads.removeFirst() }
        waiter?.resume()
        return waiter != nil
    }

    /// Lets all requests of uploads through.
    func releaseUploads() {
        state.withLock { $0.isHoldingUploads = false }
        while releaseUpload() {}
    }

    /// The thread with its newest message.
    private func list() async throws -> TransportResponse {
        let (isRefused, isHeld, last) = state.withLock { state in
            state.listings += 1
            defer { state.refusedListings = max(0, state.refusedListings - 1) }
            return (state.refusedListings > 0, state.isHoldingListings, state.log.last)
        }
        if isHeld { await withCheckedContinuation { waiter in state.withLock { $0.held.append(waiter) } } }
        if isRefused {
            let text = #"{"error":{"code":"unavailable","message":""}}"#
            return TransportResponse(status: 503, headers: [], body: Array(text.utf8))
        }
        let thread = MachineHarness.thread("t", epoch: "e", seq: 0).dropLast() + #","last_message":\#(last ?? "null")}"#
        let text = #"{"threads":[\#(thread)],"next_cursor":null}"#
        return TransportResponse(status: 200, headers: [], body: Array(text.utf8))
    }

    // MARK: What a test does

    /// Cuts all connections, and refuses new ones until `restore`.
    func cut() {
        let sockets = state.withLock { state in
            state.isReachable = false
            defer { state.sockets = [] }
            return state.sockets
        }
        for socket in sockets { socket.end() }
    }

    func restore() { state.withLock { $0.isReachable = true } }

    func releaseListings() {
        let held = state.withLock { state in
            state.isHoldingListings = false
            defer { state.held = [] }
            return state.held
        }
        for waiter in held { waiter.resume() }
    }

    /// Sends a frame to all sockets.
    func push(_ frame: String) { for socket in state.withLock({ $0.sockets }) { socket.push(frame) } }

    /// Somebody else sends.
    func post(_ text: String, count: Int = 1) {
        state.withLock { state in
            for _ in 0..<count {
                let event = MachineHarness.message(state.log.count + 1, text: text)
                state.log.append(event)
                for socket in state.sockets { socket.push(event) }
            }
        }
    }

    var texts: [String] {
        state.withLock { $0.log.compactMap { (try? JSONTree(parsing: $0))?["text"]?.text } }
    }

    // MARK: Commands

    fileprivate func receive(_ text: String, on socket: FakeSocket) {
        guard let command = try? JSONTree(parsing: text) else { return }
        state.withLock { state in
            state.commands.append(command)
            let ref = command["ref"]?.integer ?? 0
            if let message = command["message"] {
                Self.accept(message, ref, socket, &state)
            } else if let resume = command["resume"] {
                if let from = resume["threads"]?["t"]?["seq"]?.integer {
                    for event in state.log.dropFirst(Int(from)) { socket.push(event) }
                }
                socket.push(#"{"type":"resumed","ref":\#(ref),"threads":{}}"#)
            } else if command["history"] != nil, state.refusedHistories > 0 {
                state.refusedHistories -= 1
                socket.push(
                    #"{"type":"error","ref":\#(ref),"code":"rate_limited","retryable":true,"retry_after_ms":100}"#)
            } else if let history = command["history"] {
                socket.push(Self.page(history, ref, state))
            } else if command["read"] != nil || command["watch"] != nil {
                socket.push(#"{"type":"ack","ref":\#(ref)}"#)
            }
        }
    }

    private static func accept(_ message: JSONTree, _ ref: Int64, _ socket: FakeSocket, _ state: inout State) {
        guard let parts = state.attachments.filled(message["parts"]?.elements ?? []) else {
            return socket.push(#"{"type":"error","ref":\#(ref),"code":"not_found","retryable":false}"#)
        }
        let name = message["client_id"]?.text ?? ""
        let isNew = state.names[name] == nil
        let seq = state.names[name] ?? state.log.count + 1
        state.names[name] = seq
        let text = message["text"]?.text ?? ""
        let list = parts.isEmpty ? "" : #","parts":\#(JSONTree.array(parts).canonical)}"#
        var event = MachineHarness.message(seq, by: "a", client: name, text: text)
        if !parts.isEmpty { event = String(event.dropLast()) + list }
        if isNew { state.log.append(event) }
        guard !state.isMute else { return }
        for level in ["accepted", "stored"] {
            socket.push(
                """
                {"type":"ack","ref":\(ref),"level":"\(level)","thread_id":"t","epoch":"e","seq":\(seq),"id":"m\(seq)",
                "date_ms":1795255200123}
                """)
        }
        if isNew { for socket in state.sockets { socket.push(event) } }
    }

    private static func page(_ history: JSONTree, _ ref: Int64, _ state: State) -> String {
        let before = history["before"]?.integer.map(Int.init) ?? state.log.count + 1
        let after = history["after"]?.integer.map(Int.init) ?? 0
        let limit = history["limit"]?.integer.map(Int.init) ?? 30
        var seqs = Array(1...max(1, state.log.count)).filter { $0 > after && $0 < before && $0 <= state.log.count }
        seqs = history["after"] != nil ? Array(seqs.prefix(limit)) : Array(seqs.suffix(limit))
        return MachineHarness.page(
            seqs.map { state.log[$0 - 1] }, ref: Int(ref),
            more: ((seqs.first ?? 1) > 1, (seqs.last ?? state.log.count) < state.log.count), head: state.log.count)
    }
}

/// A socket of a `FakeServer`.
final class FakeSocket: ChatSocket {
    private let server: FakeServer
    private let events = IncomingEvents()

    init(_ server: FakeServer) { self.server = server }

    func push(_ frame: String) { events.append(.text(Array(frame.utf8))) }
    func end() { events.append(.closed(code: nil)) }

    func send(_ text: String) async throws { server.receive(text, on: self) }
    func receive() async -> [SocketEvent] { await events.receive() }
    func close(code: Int) async { end() }
}
