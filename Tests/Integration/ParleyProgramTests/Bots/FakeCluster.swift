import NIOCore
import NIOPosix
import ParleyConformance
import ParleyJSON
import ParleyModel
import ParleyWire

/// Rooms of the conformance kit behind sockets and as much of REST as bots need, with injectable faults.
final class FakeCluster: Sendable {
    let url: String
    private let channel: any Channel
    private let state: NIOLoopBound<FakeState>

    private init(_ channel: any Channel, _ state: NIOLoopBound<FakeState>) {
        self.channel = channel
        self.state = state
        url = "ws://127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    static func start(_ faults: Set<FakeFault> = []) async throws -> FakeCluster {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let state = try await loop.submit { NIOLoopBound(FakeState(faults), eventLoop: loop) }.get()
        let channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FakeHandler(state.value))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FakeCluster(channel, state)
    }

    func stop() async throws {
        try await channel.close()
    }

    /// The paths of all upgrades so far.
    func upgrades() async throws -> [String] {
        try await channel.eventLoop.submit { [state] in state.value.upgrades }.get()
    }
}

/// One connection: HTTP calls, or a WebSocket.
private final class FakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let state: FakeState
    private var input = ByteBuffer()
    private var socket: FakeSocket?

    init(_ state: FakeState) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if let socket { return socket.received(&bytes) }
        input.writeImmutableBuffer(bytes)
        while socket == nil, let request = takeRequest() { response(request, context) }
        if let socket, input.readableBytes > 0 { socket.received(&input) }
    }

    func channelInactive(context: ChannelHandlerContext) { socket?.ended() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private struct Request {
        var method = ""
        var path = ""
        var fields: [String: String] = [:]
        var body = ""
    }

    private func takeRequest() -> Request? {
        let text = String(buffer: input)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components("\r\n")
        var request = Request()
        let first = lines[0].split(separator: " ")
        (request.method, request.path) = (String(first[0]), String(first[1]))
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            request.fields[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
        }
        let headBytes = text[..<end.upperBound].utf8.count
        let bodyBytes = request.fields["content-length"].flatMap { Int($0) } ?? 0
        guard input.readableBytes >= headBytes + bodyBytes else { return nil }
        input.moveReaderIndex(forwardBy: headBytes)
        request.body = input.readString(length: bodyBytes) ?? ""
        return request
    }

    private func response(_ request: Request, _ context: ChannelHandlerContext) {
        let parts = request.path.split(separator: "?", maxSplits: 1)
        let query = Dictionary(
            (parts.count > 1 ? parts[1] : "").split(separator: "&").map { field in
                let pair = field.split(separator: "=", maxSplits: 1)
                return (String(pair[0]), pair.count > 1 ? String(pair[1]) : "")
            }, uniquingKeysWith: { first, _ in first })
        let path = parts[0].split(separator: "/")
        if request.fields["upgrade"] != nil {
            state.upgraded(request.path)
            reply("101 Switching Protocols", nil, context)
            let user =
                request.fields["x-parley-user"]
                ?? query["ticket"]?.split(separator: ".", maxSplits: 1).last?.description
            socket = FakeSocket(user ?? "", state, context.channel)
        } else if path == ["v1", "admin", "import"] {
            for line in request.body.split(separator: "\n") {
                if let record = try? JSONTree(parsing: String(line)) { state.take(record) }
            }
            reply("200 OK", #"{"errors":[]}"#, context)
        } else if path.count == 4, let thread = state.threads[String(path[2])] {
            let after = query["after_seq"].flatMap { Int64($0) } ?? 0
            let events = state.stored(thread).filter { $0.position.seq > after }
            let texts = events.map { String(buffer: V1Encoder.encode($0)) }.joined(separator: ",")
            reply("200 OK", #"{"events":[\#(texts)],"has_more":false}"#, context)
        } else if path == ["v1", "threads"], let user = request.fields["x-parley-user"] {
            reply("200 OK", threads(of: user), context)
        } else {
            reply("404 Not Found", "{}", context)
        }
    }

    private func threads(of user: String) -> String {
        let threads = state.threads(of: user).map { thread in
            let read = thread.reads[user] ?? 0
            var unread = thread.room.unread(after: read)
            if state.faults.contains(.miscountsUnread) { unread += 1 }
            return #"{"id":"\#(thread.room.id)","unread":\#(unread),"read_seq":\#(read)}"#
        }
        return #"{"threads":[\#(threads.joined(separator: ","))],"next_cursor":null}"#
    }

    private func reply(_ status: String, _ body: String?, _ context: ChannelHandlerContext) {
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? "Upgrade: websocket\r\n"
        context.channel.writeAndFlush(
            ByteBuffer(string: "HTTP/1.1 \(status)\r\n\(length)\r\n\(body ?? "")"), promise: nil)
    }
}

extension Substring {
    fileprivate func components(_ separator: String) -> [Substring] {
        var (parts, rest): ([Substring], Substring) = ([], self)
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
