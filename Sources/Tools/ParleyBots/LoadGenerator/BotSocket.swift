import NIOCore
import ParleySockets
import ParleyWire

/// The connection of a bot: the upgrade, then frames. After the upgrade the socket is detached from its channel if the
/// connection is unencrypted, which costs a third less per frame. Bound to the bot's event loop.
final class BotSocket: ChannelInboundHandler, KernelSocketOwner {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Maximum size of the response to an upgrade, and of a message.
    private static let maximumHeadBytes = 16_384
    private static let maximumMessageBytes = 32 << 20

    private let bot: Bot
    private let request: String
    /// No handler between the frames and the connection is needed.
    private let isPlain: Bool
    /// From the connect until the socket is detached or closed.
    private var channel: (any Channel)?
    /// The socket after it is detached from the channel.
    private var socket: KernelSocket?
    /// The bytes of the upgrade response so far; `nil` after the upgrade.
    private var head: [UInt8]? = []
    private var parser = WebSocketServerFrameParser(maximumBytes: maximumMessageBytes, checksText: false)
    /// The next byte begins a frame and a message. Cached here, since asking the parser copies it.
    private var parserIsEmpty = true
    /// permessage-deflate was offered.
    private let isCompressed: Bool
    private var hasEnded = false
    private(set) var closeCode: UInt16?
    /// The status of a rejected upgrade.
    private(set) var status: Int?
    private(set) var retryAfter: Int?
    /// Reading speed in bytes per second; `nil` if unlimited.
    private var pace: Int?
    /// Bytes of this read for which a slow reader will wait.
    private var unpaced = 0

    init(_ bot: Bot, request: String, pace: Int?, isCompressed: Bool, isPlain: Bool) {
        self.bot = bot
        self.isPlain = isPlain
        self.isCompressed = isCompressed
        self.request = request
        self.pace = pace
    }

    var isConnected: Bool { channel != nil || socket != nil }

    // MARK: Output

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

    /// Sends a last frame and closes.
    func close(with frame: ByteBuffer) {
        if let socket {
            socket.write(frame)
            socket.closeWhenSent()
        } else {
            channel?.writeAndFlush(frame, promise: nil)
            channel?.close(promise: nil)
        }
    }

    // MARK: Input

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

    /// Not forwarded: no handler after this one needs it. A slow reader reads on after the delay for all bytes of this
    /// read, even if they came in several pieces.
    func channelReadComplete(context: ChannelHandlerContext) {
        guard let pace else { return }
        let wait = TimeAmount.microseconds(Int64(unpaced) * 1_000_000 / Int64(pace))
        unpaced = 0
        context.eventLoop.assumeIsolated().scheduleTask(in: wait) { [self] in
            if self.pace != nil { context.read() }
        }
    }

    /// Passes whole unfragmented texts at the front of the input to the bot without a copy: nearly all frames are of
    /// this kind, and this costs a few retains less per frame than the parser.
    /// - Returns: the number of bytes consumed; the parser takes the rest.
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

    /// Reads at full speed from now on.
    func readAtFullSpeed() {
        guard pace != nil, let channel else { return }
        pace = nil
        // While the window is limited by a small buffer, it can stay below a segment: the server's kernel then sends no
        // more than one at each probe, five a second.
        channel.setOption(.socketOption(.so_rcvbuf), value: 1 << 20).whenComplete { _ in }
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
    }

    private func receive(_ input: WebSocketInput, _ now: Int64) {
        switch input {
        case .text(let text): text.withUnsafeReadableBytes { bot.received($0, now) }
        case .ping(let payload): send(WebSocketClientFrame.frame(.pong, payload, mask: bot.mask()))
        case .pong, .binary: break
        case .close(let code):
            closeCode = code ?? 1005
            close(with: WebSocketClientFrame.close(code: code ?? 1000, mask: bot.mask()))
        }
    }

    // MARK: Upgrade

    /// - Returns: whether the upgrade is complete; `bytes` is then what follows the response.
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
            // A server that does not accept compression sends uncompressed frames.
            let accepted = Self.field("sec-websocket-extensions", in: text)?.hasPrefix("permessage-deflate") == true
            if accepted { parser.acceptsCompression() } else { bot.fail("no_deflate") }
        }
        bytes = ByteBuffer(bytes: all[end...])
        leaveChannel(context)
        bot.upgraded()
        return true
    }

    /// Detaches the socket if possible; otherwise it stays in the channel, which only costs more.
    private func leaveChannel(_ context: ChannelHandlerContext) {
        guard isPlain, pace == nil, let poller = bot.botGroup.poller,
            let own = try? KernelSocket(leaving: context.channel, poller, owner: self)
        else { return }
        (socket, channel) = (own, nil)
        context.close(promise: nil)
    }

    /// The value of the first field of this name, without surrounding white space.
    private static func field(_ name: String, in head: String) -> String? {
        for line in head.split(whereSeparator: \.isNewline) {
            let field = line.split(separator: ":", maxSplits: 1)
            if field.count == 2, field[0].lowercased() == name { return String(field[1].drop { $0 == " " }) }
        }
        return nil
    }

    /// The index after the empty line.
    private static func end(of head: [UInt8]) -> Int? {
        guard head.count >= 4 else { return nil }
        for index in 3..<head.count where head[index] == 0x0A && head[index - 2] == 0x0A && head[index - 1] == 0x0D {
            return index + 1
        }
        return nil
    }

    // MARK: Closing

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

    /// The channel is closed, and with it the connection, if it still exists.
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
