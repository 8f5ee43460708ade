import NIOCore
import NIOPosix
import ParleyTestSupport

/// A client that sends at a steady pace and writes down what it sees; when its socket breaks it goes to another node.
///
/// Cheap enough for hundreds of them beside the cluster they load: no task, no queue. Bound to its event loop.
final class LoadClient {
    private let number: Int
    private let thread: Int
    /// By thread, the id that the server knows.
    private let threadID: String
    private let ports: [Int]
    private let headers: String
    private let loop: any EventLoop
    private let interval: TimeAmount
    private(set) var journal: Journal
    private var channel: (any Channel)?
    private var sender: RepeatedTask?
    private var isOpen = false
    private var isSending = false
    private var isOver = false
    private var sent = 0
    private var attempts = 0
    private var opened: EventLoopPromise<Void>?

    init(
        number: Int, thread: Int, threadID: String, ports: [Int], headers: String, interval: TimeAmount,
        loop: any EventLoop
    ) {
        self.number = number
        self.thread = thread
        self.threadID = threadID
        self.ports = ports
        self.headers = headers
        self.interval = interval
        self.loop = loop
        journal = Journal(threads: [thread])
    }

    /// Opens the first socket.
    func open() -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        opened = promise
        connect()
        return promise.futureResult
    }

    func beginSending() {
        isSending = true
        let first = TimeAmount.nanoseconds(Int64.random(in: 0...interval.nanoseconds))
        let bound = NIOLoopBound(self, eventLoop: loop)
        sender = loop.scheduleRepeatedTask(initialDelay: first, delay: interval) { _ in bound.value.send() }
    }

    func endSending() {
        isSending = false
        sender?.cancel()
        sender = nil
    }

    /// Ends for good. What happens to the socket from now on counts for nothing.
    func end() -> Journal {
        isOver = true
        channel?.close(promise: nil)
        return journal
    }

    var seenCount: Int { journal.sessions.reduce(0) { $0 + $1.seen.count } }

    // MARK: Connecting

    private func connect() {
        attempts += 1
        let port = ports[(number + attempts) % ports.count]
        let bound = NIOLoopBound(self, eventLoop: loop)
        let request =
            "GET /chat HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(headers)\r\n"
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LoadSocketHandler(bound.value, request))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): bound.value.channel = channel
                case .failure: bound.value.reconnect()
                }
            }
    }

    private func reconnect() {
        guard !isOver else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(Int64.random(in: 50...250))) { bound.value.connect() }
    }

    func handshakeDone() {
        isOpen = true
        journal.sessions.append(Journal.Session())
        opened?.succeed()
        opened = nil
    }

    func closed() {
        channel = nil
        guard !isOver else { return }
        if isOpen { journal.sessions[journal.sessions.count - 1].isBroken = true }
        isOpen = false
        reconnect()
    }

    // MARK: Messages

    private func send() {
        guard isSending, isOpen, let channel else { return }
        sent += 1
        let text = "\(number).\(sent)"
        journal.sessions[journal.sessions.count - 1].sent.append(text)
        let frame = SocketFrame(.text, Array(#"{"message":{"id":"\#(threadID)","text":"\#(text)"}}"#.utf8))
        channel.writeAndFlush(ByteBuffer(bytes: frame.bytes()), promise: nil)
    }

    func received(_ payload: [UInt8]) {
        guard let message = SeenMessage(payload), message.thread == threadID else { return }
        let sighting = Sighting(thread: thread, epoch: message.epoch, seq: message.seq, text: message.text)
        journal.sessions[journal.sessions.count - 1].seen.append(sighting)
    }
}
