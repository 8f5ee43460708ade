import NIOCore
import NIOHTTP1
import NIOPosix
import ParleyBlobs
import Synchronization

/// A storage with one bucket in this process, on a port of 127.0.0.1 until `stop`: as much of S3 as an upload of less
/// than a part needs.
final class FakeS3: Sendable {
    /// How it answers a request for a range.
    enum Ranges: CaseIterable, Sendable {
        case honoured
        /// With the whole object.
        case ignored
        /// With as many bytes, from the beginning of the object.
        case shifted
        /// With the whole object, as if it were the range, and without a length.
        case endless
    }

    /// How it sends an object.
    enum Delivery: Sendable {
        case whole
        /// All but its last byte; then it closes the connection.
        case cut
        /// Byte by byte for ever, without a length.
        case dripping
    }

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var requests: [String] = []
        var ranges = Ranges.honoured
        var delivery = Delivery.whole
        var connections = 0
    }

    private static let bucket = "files"

    private let state = Mutex(State())
    private let channel = Mutex<(any Channel)?>(nil)

    /// By key.
    var objects: [String: [UInt8]] {
        get { state.withLock(\.objects) }
        set { state.withLock { $0.objects = newValue } }
    }
    /// The method and the key of each.
    var requests: [String] { state.withLock(\.requests) }

    func answerRanges(_ ranges: Ranges) {
        state.withLock { $0.ranges = ranges }
    }

    func deliver(_ delivery: Delivery) {
        state.withLock { $0.delivery = delivery }
    }

    /// The connections that are open.
    var connections: Int { state.withLock(\.connections) }

    static func start() async throws -> FakeS3 {
        let storage = FakeS3()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(storage))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        storage.channel.withLock { $0 = channel }
        return storage
    }

    func stop() async throws {
        try await channel.withLock { $0 }?.close()
    }

    var settings: S3Settings? {
        S3Settings(
            endpoint: "http://127.0.0.1:\(channel.withLock { $0?.localAddress?.port } ?? 0)", region: "us-east-1",
            bucket: Self.bucket, accessKey: "a", secretKey: "s", redirects: false)
    }

    // MARK: Requests

    private struct Answer {
        var status = HTTPResponseStatus.ok
        var headers: [(String, String)] = []
        var body: [UInt8] = []
        var hasLength = true
    }

    private func answer(_ head: HTTPRequestHead, _ body: [UInt8]) -> Answer {
        let key = String(head.uri.prefix { $0 != "?" }.dropFirst(Self.bucket.utf8.count + 2))
        return state.withLock { state in
            state.requests.append("\(head.method) \(key)")
            if head.uri.contains("list-type=2") {
                return Answer(body: Array(state.objects.keys.map { "<Key>\($0)</Key>" }.joined().utf8))
            }
            switch head.method {
            case .PUT:
                state.objects[key] = body
                return Answer()
            case .DELETE:
                return Answer(status: state.objects.removeValue(forKey: key) == nil ? .notFound : .noContent)
            default:
                guard let object = state.objects[key] else { return Answer(status: .notFound) }
                return Self.part(of: object, head.headers.first(name: "range"), state.ranges)
            }
        }
    }

    private static func part(of object: [UInt8], _ header: String?, _ ranges: Ranges) -> Answer {
        guard let ends = header?.dropFirst("bytes=".count).split(separator: "-").compactMap({ Int($0) }),
            ends.count == 2
        else { return Answer(body: object) }
        let (first, last) = (ends[0], ends[1])
        let place = ("content-range", "bytes \(first)-\(last)/\(object.count)")
        return switch ranges {
        case .honoured: Answer(status: .partialContent, headers: [place], body: Array(object[first...last]))
        case .ignored: Answer(body: object)
        case .shifted:
            Answer(
                status: .partialContent, headers: [("content-range", "bytes 0-\(last - first)/\(object.count)")],
                body: Array(object[...(last - first)]))
        case .endless: Answer(status: .partialContent, headers: [place], body: object, hasLength: false)
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let storage: FakeS3
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ storage: FakeS3) { self.storage = storage }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let bytes): body += bytes.readableBytesView
            case .end:
                guard let head else { return }
                let answer = storage.answer(head, body)
                var headers = HTTPHeaders(answer.headers)
                if answer.hasLength { headers.add(name: "content-length", value: "\(answer.body.count)") }
                let reply = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
                send(reply, answer.body, context)
            }
        }

        private func send(_ reply: HTTPResponseHead, _ body: [UInt8], _ context: ChannelHandlerContext) {
            let delivery = storage.state.withLock(\.delivery)
            var reply = reply
            if delivery == .dripping { reply.headers.remove(name: "content-length") }
            context.write(wrapOutboundOut(.head(reply)), promise: nil)
            switch delivery {
            case .whole:
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .cut:
                let part = ByteBuffer(bytes: body.dropLast())
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
                context.close(promise: nil)
            case .dripping:
                let (channel, byte) = (context.channel, ByteBuffer(string: " "))
                context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { task in
                    guard channel.isActive else { return task.cancel() }
                    channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(byte)), promise: nil)
                }
            }
        }

        func channelActive(context: ChannelHandlerContext) {
            storage.state.withLock { $0.connections += 1 }
        }

        func channelInactive(context: ChannelHandlerContext) {
            storage.state.withLock { $0.connections -= 1 }
        }
    }
}
