import NIOCore

/// The client side of a WebSocket connection: handshake, message assembly, pongs, closing handshake.
///
/// Used on the channel's event loop; its output goes to mailboxes.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The server's response to the handshake.
    enum Response: Sendable {
        case accepted(HTTPReply)
        case refused(HTTPReply)
    }

    private enum Phase {
        case handshake(HTTPReplyParser)
        case open(SocketFrameParser)
        case over
    }

    private let response: EventLoopPromise<Response>
    private let messages: Mailbox<[UInt8]>
    private let ends: Mailbox<SocketEnd>
    private let pings: Mailbox<[UInt8]>
    private let pongs: Mailbox<[UInt8]>
    /// Disabled while a test sends a frame in pieces, since no pong may come between them.
    var answersPings = true
    private var phase = Phase.handshake(HTTPReplyParser())
    private var end = SocketEnd(code: nil)
    /// The beginning of a fragmented message.
    private var begun: (payload: [UInt8], isCompressed: Bool)?

    init(
        response: EventLoopPromise<Response>, messages: Mailbox<[UInt8]>, ends: Mailbox<SocketEnd>,
        pings: Mailbox<[UInt8]>, pongs: Mailbox<[UInt8]>
    ) {
        self.response = response
        self.messages = messages
        self.ends = ends
        self.pings = pings
        self.pongs = pongs
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        do {
            switch phase {
            case .handshake(var parser):
                let step = try parser.feed(Array(bytes))
                phase = .handshake(parser)
                try shake(step, context: context)
            case .open(var parser):
                // Releases the stored copy, so that feeding does not copy the buffer.
                phase = .over
                parser.feed(bytes)
                try readFrames(parser, context: context)
            case .over:
                break
            }
        } catch {
            fail(error, context: context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .handshake(var parser) = phase {
            do {
                try shake(parser.finish(), context: context)
            } catch {
                response.fail(error)
            }
        }
        phase = .over
        messages.finish()
        ends.put(end)
        ends.finish()
        pings.finish()
        pongs.finish()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func shake(_ step: HTTPReplyParser.Step, context: ChannelHandlerContext) throws {
        switch step {
        case .more:
            break
        case .complete(let reply, _):
            phase = .over
            response.succeed(.refused(reply))
            context.close(promise: nil)
        case .upgraded(let reply, let rest):
            response.succeed(.accepted(reply))
            var parser = SocketFrameParser()
            parser.feed(rest)
            try readFrames(parser, context: context)
        }
    }

    private func readFrames(_ parser: SocketFrameParser, context: ChannelHandlerContext) throws {
        var parser = parser
        while let frame = try parser.next() {
            guard try receive(frame, context: context) else { return }
        }
        phase = .open(parser)
    }

    /// Returns `false` after a close frame, when further frames are ignored.
    private func receive(_ frame: SocketFrame, context: ChannelHandlerContext) throws -> Bool {
        switch SocketFrame.Opcode(rawValue: frame.opcode) {
        case .text, .binary:
            guard begun == nil else { throw SocketFrameParser.Violation(description: "a message inside a message") }
            begun = (frame.payload, frame.isCompressed)
            try finishMessage(isFinal: frame.isFinal)
        case .continuation:
            guard begun != nil else { throw SocketFrameParser.Violation(description: "continuation of nothing") }
            begun?.payload += frame.payload
            try finishMessage(isFinal: frame.isFinal)
        case .ping:
            pings.put(frame.payload)
            guard answersPings else { break }
            context.writeAndFlush(
                wrapOutboundOut(ByteBuffer(bytes: SocketFrame(.pong, frame.payload).bytes())), promise: nil)
        case .pong:
            pongs.put(frame.payload)
        case .close, nil:
            let payload = frame.payload
            let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
            end = SocketEnd(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
            phase = .over
            // The close frame in response (§5.5.1). The server closes the connection after it, or this side if the
            // server does not.
            let reply = SocketFrame(.close, Array(payload.prefix(2))).bytes()
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: reply)), promise: nil)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .seconds(2)) { bound.value.close(promise: nil) }
            return false
        }
        return true
    }

    private func finishMessage(isFinal: Bool) throws {
        guard isFinal, let message = begun else { return }
        begun = nil
        messages.put(message.isCompressed ? try Deflate.expand(message.payload) : message.payload)
    }

    private func fail(_ error: any Error, context: ChannelHandlerContext) {
        if case .handshake = phase { response.fail(error) }
        phase = .over
        end = SocketEnd(code: nil, reason: "client: \(error)")
        context.close(promise: nil)
    }
}
