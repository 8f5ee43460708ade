import NIOCore
import ParleySockets
import ParleyWire

/// The bytes of one socket of a bot: the upgrade, then frames. After the upgrade it leaves its channel if nothing but
/// plain bytes go in and out, which costs a third less for each frame. Bound to the bot's event loop.
final class BotSocket: ChannelInboundHandler, KernelSocketOwner {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The longest answer to an upgrade request, and the longest message.
    private static let maximumHeadBytes = 16_384
    private static let maximumMessageBytes = 32 << 20

    private let bot: Bot
    private let request: String
    /// Nothing stands between the frames and the connection.
    private let isPlain: Bool
    /// From the connect on, until it is left or closed.
    private var channel: (any Channel)?
    /// What it is left for.
    private var socket: KernelSocket?
    /// The answer to the upgrade as far as it came; `nil` when the socket speaks WebSocket.
    private var head: [UInt8]? = []
    private var parser = WebSocketServerFrameParser(maximumBytes: maximumMessageBytes, checksText: false)
    /// The next byte begins a frame and a message. Kept here, since to ask the parser is to copy it.
    private var parserIsEmpty = true
    /// permessage-deflate was offered.
    private let isCompressed: Bool
    private var hasEnded = false
    private(set) var closeCode: UInt16?
    /// Of a refused upgrade.
    private(set) var status: Int?
    private(set) var retryAfter: Int?
    /// Bytes a second; `nil` if it reads as fast as it can.
    private var pace: Int?
    /// Bytes of this read, for which a slow reader is going to wait.
    private var unpaced = 0

    init(_ bot: Bot, request: String, pace: Int?, isCompressed: Bool, isPlain: Bool) {
        self.bot = bot
        self.isPlain = isPlain
        self.isCompressed = isCompressed
        self.request = request
        self.pace = pace
    }

    var isConnected: Bool { channel != nil || socket != nil }

    // MARK: Bytes out

    func send(_ frame: ByteBuffer) {
        if let socket {
            socket.write(frame)
            socket.flush()
        } else {
            channel?.writeAndFlush(frame, promise: nil)
        }
    }

    func close() {
        socket?.close()
        channel?.close(promise: nil)
    }

    /// Sends a last frame and ends.
    func close(with frame: ByteBuffer) {
        if let socket {
            socket.write(frame)
            socket.closeWhenSent()
        } else {
            channel?.writeAndFlush(frame, promise: nil)
            channel?.close(promise: nil)
        }
    }

    // MARK: Bytes in

    func channelActive(context: ChannelHandlerContext) {
        channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
        if pace != nil { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        let now = MonotonicClock.now()
        bot.received(bytes: bytes.readableBytes, now)
        if head == nil { unpaced += bytes.readableBytes }
        if head != nil, !upgrade(&bytes, context) { return }
        bytes.withUnsafeReadableBytes { read($0, now) }
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        let now = MonotonicClock.now()
        bot.received(bytes: bytes.count, now)
        read(bytes, now)
    }

    private func read(_ bytes: UnsafeRawBufferPointer, _ now: Int64) {
        var rest = bytes
        if parserIsEmpty {
            rest = UnsafeRawBufferPointer(rebasing: bytes[takeWhole(bytes, now)...])
            if rest.isEmpty { return }
            parserIsEmpty = false
        }
        var buffer = ByteBuffer(bytes: rest)
        parser.append(&buffer)
        do throws(WebSocketViolation) {
            while let input = try parser.next() { receive(input, now) }
            parserIsEmpty = parser.isBetweenMessages
        } catch {
            bot.fail("protocol")
            close()
        }
    }

    /// Nobody behind this handler wants to know. A slow reader reads on when all that this read has brought, be it in
    /// several pieces, has had its time.
    func channelReadComplete(context: ChannelHandlerContext) {
        guard let pace else { return }
        let wait = TimeAmount.microseconds(Int64(unpaced) * 1_000_000 / Int64(pace))
        unpaced = 0
        context.eventLoop.assumeIsolated().scheduleTask(in: wait) { [self] in
            if self.pace != nil { context.read() }
        }
    }

    /// Hands the whole and plain texts at the front of what came to the bot as they lie there: nearly all frames are of
    /// this kind, and each costs a few retains less than by the parser.
    /// - Returns: how many bytes they have; the parser is to take the rest.
    private func takeWhole(_ bytes: UnsafeRawBufferPointer, _ now: Int64) -> Int {
        var start = 0
        while bytes.count - start > 4, bytes[start] == 0x81, bytes[start + 1] < 127 {
            var (length, head) = (Int(bytes[start + 1]), 2)
            if length == 126 { (length, head) = (Int(bytes[start + 2]) << 8 | Int(bytes[start + 3]), 4) }
            guard bytes.count - start >= head + length else { break }
            bot.received(UnsafeRawBufferPointer(rebasing: bytes[start + head..<start + head + length]), now)
            start += head + length
        }
        return start
    }

    /// Reads as fast as it can from now on.
    func hurry() {
        guard pace != nil, let channel else { return }
        pace = nil
        // As long as the window is the room in a small buffer, it can stay below a segment: then the server's kernel
        // sends no more than one at each probe, five a second.
        channel.setOption(.socketOption(.so_rcvbuf), value: 1 << 20).whenComplete { _ in }
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
    }

    private func receive(_ input: WebSocketInput, _ now: Int64) {
        switch input {
        case .text(let text): text.withUnsafeReadableBytes { bot.received($0, now) }
        case .ping(let payload): send(WebSocketClientFrame.frame(.pong, payload, mask: bot.mask()))
        case .pong: break
        case .close(let code):
            closeCode = code ?? 1005
            close(with: WebSocketClientFrame.close(code: code ?? 1000, mask: bot.mask()))
        }
    }

    // MARK: Upgrade

    /// - Returns: whether the socket speaks WebSocket now; `bytes` is what follows the answer.
    private func upgrade(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        head?.append(contentsOf: bytes.readableBytesView)
        guard let all = head, let end = Self.end(of: all) else {
            if (head?.count ?? 0) > Self.maximumHeadBytes { context.close(promise: nil) }
            return false
        }
        let text = String(decoding: all[..<end], as: UTF8.self)
        let status = text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
        guard status == 101 else {
            self.status = status
            retryAfter = Self.field("retry-after", in: text).flatMap { Int($0) }
            context.close(promise: nil)
            return false
        }
        head = nil
        if isCompressed {
            // Frames of a server that does not accept are plain.
            let accepted = Self.field("sec-websocket-extensions", in: text)?.hasPrefix("permessage-deflate") == true
            if accepted { parser.acceptsCompression() } else { bot.fail("no_deflate") }
        }
        bytes = ByteBuffer(bytes: all[end...])
        leaveChannel(context)
        bot.upgraded()
        return true
    }

    /// Whatever cannot leave stays where it is: that costs more, and no more than that.
    private func leaveChannel(_ context: ChannelHandlerContext) {
        guard isPlain, pace == nil, let poller = bot.botGroup.poller,
            let own = try? KernelSocket(leaving: context.channel, poller, owner: self)
        else { return }
        (socket, channel) = (own, nil)
        context.close(promise: nil)
    }

    /// The value of the first field of this name, without white space around it.
    private static func field(_ name: String, in head: String) -> String? {
        for line in head.split(whereSeparator: \.isNewline) {
            let field = line.split(separator: ":", maxSplits: 1)
            if field.count == 2, field[0].lowercased() == name { return String(field[1].drop { $0 == " " }) }
        }
        return nil
    }

    /// The index behind the empty line.
    private static func end(of head: [UInt8]) -> Int? {
        guard head.count >= 4 else { return nil }
        for index in 3..<head.count where head[index] == 0x0A && head[index - 2] == 0x0A && head[index - 1] == 0x0D {
            return index + 1
        }
        return nil
    }

    // MARK: Ends

    func channelInactive(context: ChannelHandlerContext) {
        left()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        left()
    }

    func ended() {
        socket = nil
        end()
    }

    func madeRoom() {}

    /// The channel is gone, and with it the connection if it is still there.
    private func left() {
        channel = nil
        if socket == nil { end() }
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        bot.socketEnded(self)
    }
}
