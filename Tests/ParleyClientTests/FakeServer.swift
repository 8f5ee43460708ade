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
    }

    let state = Mutex(State())

    func connect(to url: String, headers: [(name: String, value: String)]) async throws -> any ChatSocket {
        let socket = FakeSocket(self)
        let hello: String = try state.withLock { state in
            state.connects += 1
            guard state.isReachable else { throw ChatError.noAnswer("cut off") }
            state.sockets.append(socket)
            return """
                {"type":"hello","protocol":1,"user":{"id":"a","username":"alice"},"ping_interval_ms":25000,
                "threads":[\(CoreHarness.thread("t", epoch: "e", seq: state.log.count))]}
                """
        }
        socket.push(hello)
        return socket
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard state.withLock({ $0.isReachable }) else { throw ChatError.noAnswer("cut off") }
        let text = #"{"threads":[],"next_cursor":null}"#
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

    /// Somebody else sends.
    func post(_ text: String, count: Int = 1) {
        state.withLock { state in
            for _ in 0..<count {
                let event = CoreHarness.message(state.log.count + 1, text: text)
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
                guard let from = resume["threads"]?["t"]?["seq"]?.integer else { return }
                for event in state.log.dropFirst(Int(from)) { socket.push(event) }
            } else if let history = command["history"] {
                socket.push(Self.page(history, ref, state))
            } else if command["read"] != nil {
                socket.push(#"{"type":"ack","ref":\#(ref)}"#)
            }
        }
    }

    private static func accept(_ message: JSONTree, _ ref: Int64, _ socket: FakeSocket, _ state: inout State) {
        let name = message["client_id"]?.text ?? ""
        let isNew = state.names[name] == nil
        let seq = state.names[name] ?? state.log.count + 1
        state.names[name] = seq
        let text = message["text"]?.text ?? ""
        let event = CoreHarness.message(seq, by: "a", client: name, text: text)
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
        return CoreHarness.page(
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
