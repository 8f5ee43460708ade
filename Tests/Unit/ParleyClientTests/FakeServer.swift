import NIOCore
import ParleyClient
import ParleyConformance
import ParleyJSON
import ParleyModel
import ParleyWire
import Synchronization

/// A transport to a room of the conformance kit, `t`, for one user, `alice`: it answers commands, and can be cut off.
/// Guarded by a mutex.
final class FakeServer: ChatTransport {
    struct State {
        var isReachable = true
        /// Sends are logged, but neither acknowledged nor delivered.
        var isMute = false
        var room = Room(id: ThreadID(trusted: "t"), title: "T", epoch: "e")
        var commands: [JSONTree] = []
        var sockets: [FakeSocket] = []
        var connects = 0
        var limits = Limits()
        /// So many histories are refused, as too many.
        var refusedHistories = 0
        /// So many listings of threads are answered with 503.
        var refusedListings = 0
        var listings = 0
        /// Threads of hello besides `t`.
        var otherThreads: [V1Thread] = []
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

    static let alice = User(id: UserID(trusted: "a"), name: "alice")
    static let bob = User(id: UserID(trusted: "b"), name: "b")
    private static let milliseconds: Int64 = 1_795_255_200_123

    /// A thread of hello.
    static func thread(_ id: String, seq: Int64 = 0) -> V1Thread {
        V1Thread(
            thread: ThreadInfo(id: ThreadID(trusted: id), kind: .room, title: "T"), role: .member,
            head: Position(epoch: Epoch("e"), seq: seq))
    }

    let state = Mutex(State())

    func connect(to url: String, headers: [(name: String, value: String)]) async throws -> any ChatSocket {
        let socket = FakeSocket(self)
        let hello = try state.withLock { state in
            state.connects += 1
            guard state.isReachable else { throw ChatError.noAnswer("cut off") }
            state.sockets.append(socket)
            let thread = V1Thread(thread: state.room.info, role: .member, head: state.room.position)
            return V1Hello(
                connection: ConnectionID(trusted: "c"), node: "n", user: Self.alice, serverTime: Self.milliseconds,
                pingIntervalMilliseconds: 25_000, limits: state.limits, ticket: nil,
                threads: [thread] + state.otherThreads, hasMore: false)
        }
        socket.push(.hello(hello))
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
        if request.url.contains("/sanctions") {
            func page(_ kind: String, _ more: String, cursor: String) -> TransportResponse {
                ok(
                    """
                    {"sanctions":[{"thread_id":"t","user":{"id":"b","username":"bob"},"kind":"\(kind)",
                    "since_ms":7000\(more)}],"next_cursor":\(cursor)}
                    """)
            }
            if request.url.contains("cursor=mute.b") { return page("later", "", cursor: "null") }
            return page("mute", #","until_ms":9000,"reason":"spam","by_id":"a""#, cursor: "\"mute.b\"")
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
            return (state.refusedListings > 0, state.isHoldingListings, state.room.json(state.room.head))
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
        for _ in 0..<count { append { _ = $0.append(text, by: Self.bob, milliseconds: Self.milliseconds) } }
    }

    /// Something happens in the thread.
    func append(_ body: LogEvent.Body) { append { $0.append(body, milliseconds: Self.milliseconds) } }

    /// An event of a type that no client knows.
    func appendUnknown() { append { $0.appendUnknown(milliseconds: Self.milliseconds) } }

    private func append(_ change: (inout Room) -> Void) {
        state.withLock { state in
            change(&state.room)
            state.pushNewest()
        }
    }

    /// The texts of the messages, oldest first.
    var texts: [String] {
        state.withLock { state in state.room.messages.sorted { $0.key < $1.key }.map(\.value.text) }
    }

    // MARK: Commands

    fileprivate func receive(_ text: String, on socket: FakeSocket) {
        guard let command = try? JSONTree(parsing: text) else { return }
        state.withLock { state in
            state.commands.append(command)
            do throws(V1CommandError) {
                Self.answer(try V1Decoder().decode(ByteBuffer(string: text)), socket, &state)
            } catch {
                socket.push(.error(V1Failure(error), ref: error.ref))
            }
        }
    }

    private static func answer(_ request: V1Request, _ socket: FakeSocket, _ state: inout State) {
        switch request.command {
        case .send(let send): accept(send, request.ref, socket, &state)
        case .resume(let positions):
            var results: [ThreadID: V1Resumption] = [:]
            if let position = positions[state.room.id] {
                results[state.room.id] = state.room.resumption(at: position)
                // Nothing here starts over, so all that is missing is replayed.
                for event in state.room.events(after: position.seq) { socket.push(event) }
            }
            socket.push(.resumed(results, ref: request.ref))
        case .history where state.refusedHistories > 0:
            state.refusedHistories -= 1
            socket.push(.error(V1Failure(.rateLimited, "", retryAfterMilliseconds: 100), ref: request.ref))
        case .history(let history): socket.push(state.room.page(history, ref: request.ref).json)
        case .read, .watch: if let ref = request.ref { socket.push(.ack(V1Ack(ref: ref))) }
        default: break
        }
    }

    private static func accept(_ send: V1Send, _ ref: Int64?, _ socket: FakeSocket, _ state: inout State) {
        guard let parts = state.attachments.filled(send.parts) else {
            return socket.push(.error(V1Failure(.notFound, "no such attachment"), ref: ref))
        }
        var send = send
        send.parts = parts
        let receipt = state.room.accept(send, by: alice, milliseconds: milliseconds)
        guard !state.isMute, let ref else { return }
        for level in send.level == .stored ? [V1Send.Level.accepted, .stored] : [.accepted] {
            socket.push(.ack(V1Ack(ref: ref, receipt: receipt, level: level, clientID: send.clientID)))
        }
        if !receipt.isRepeat { state.pushNewest() }
    }
}

extension FakeServer.State {
    /// Sends the newest event to all sockets.
    fileprivate func pushNewest() {
        guard let event = room.json(room.head) else { return }
        for socket in sockets { socket.push(event) }
    }
}

/// A socket of a `FakeServer`.
final class FakeSocket: ChatSocket {
    private let server: FakeServer
    private let events = IncomingEvents()

    init(_ server: FakeServer) { self.server = server }

    func push(_ frame: String) { events.append(.text(Array(frame.utf8))) }
    func push(_ frame: V1Frame) { if let payload = V1Encoder.encode(frame) { push(String(buffer: payload)) } }
    func end() { events.append(.closed(code: nil)) }

    func send(_ text: String) async throws { server.receive(text, on: self) }
    func receive() async -> [SocketEvent] { await events.receive() }
    func close(code: Int) async { end() }
}
