import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// The time limits for the parts of a request.
package struct RequestLimits: Sendable {
    /// For the head of a connection's first request; `nil` if another handler limits it.
    package var firstHead: TimeAmount?
    /// For a body; see `BodyClock`.
    package var body: TimeAmount
    /// Paths whose bodies may take longer, including the paths below them.
    package var streamedPaths: Set<String>
    /// The minimum rate of such a body.
    package var streamedBytesPerSecond: Int
    /// The time limit for a client to hang up after its last response.
    package var closeTimeout: TimeAmount

    package init(
        firstHead: TimeAmount?, body: TimeAmount, streamedPaths: Set<String>, streamedBytesPerSecond: Int,
        closeTimeout: TimeAmount
    ) {
        self.firstHead = firstHead
        self.body = body
        self.streamedPaths = streamedPaths
        self.streamedBytesPerSecond = streamedBytesPerSecond
        self.closeTimeout = closeTimeout
    }
}

/// Cuts off requests that take too long to arrive and so hold a connection and its memory:
///
/// - a connection without a first request is closed; Hummingbird's idle timeout behind this handler closes one without
///   a next request;
/// - a body that is late is answered by 408, and the connection is closed;
/// - during a shutdown, a body has little time left.
///
/// A connection that is closed behind a response, while the body of the request is still arriving, stays open until the
/// body has been read and discarded: many clients read the response only after they have sent everything.
///
/// Bound to its event loop.
package final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private enum State {
        case beforeFirst
        case betweenRequests
        case body(BodyClock)
        /// The client has its last response, and the rest of the body is discarded; then the output is closed.
        case discardingBody(BodyClock, EventLoopPromise<Void>?)
        /// The client has its last response: further input is discarded.
        case over
    }

    /// The time limit for a body during a shutdown.
    private static let closingLimit = TimeAmount.seconds(10)

    private let limits: RequestLimits
    private var state = State.beforeFirst
    private var timer: Scheduled<Void>?
    /// Requests whose response is not complete.
    private var unanswered = 0
    /// Whether the response to the oldest of them has begun.
    private var isAnswering = false
    private var isQuiescing = false
    /// The input cannot be parsed any further: nothing more of a body will come.
    private var isBroken = false

    package init(_ limits: RequestLimits) {
        self.limits = limits
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if let firstHead = limits.firstHead { start(firstHead, context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if case .discardingBody(_, let promise) = state { promise?.fail(ChannelError.eof) }
        state = .over
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let part = context.part(data, as: InboundIn.self) else { return }
        switch (part, state) {
        case (.end, .discardingBody(_, let promise)):
            return closeOutput(promise, context)
        case (.body(let bytes), .discardingBody(var clock, let promise)):
            clock.received(bytes.readableBytes)
            state = .discardingBody(clock, promise)
            return
        case (_, .over), (_, .discardingBody):
            return
        case (.head(let head), _):
            unanswered += 1
            var clock = BodyClock(limit: limits.body, bytesPerSecond: rate(of: head), now: context.eventLoop.now)
            if isQuiescing { clock.limitRemaining(within: Self.closingLimit, now: context.eventLoop.now) }
            state = .body(clock)
            timer?.cancel()
            timer = nil
        case (.body(let bytes), .body(var clock)):
            clock.received(bytes.readableBytes)
            state = .body(clock)
        case (.end, _):
            state = .betweenRequests
            timer?.cancel()
            timer = nil
        default:
            break
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // Of most requests head and body come together, and no timer is needed.
        if case .body(var clock) = state {
            clock.hold(at: context.eventLoop.now)
            state = .body(clock)
            if timer == nil { start(limits.body, context) }
        }
        if case .discardingBody = state { context.read() }
        context.fireChannelReadComplete()
    }

    package func read(context: ChannelHandlerContext) {
        if case .body(var clock) = state {
            clock.release(at: context.eventLoop.now)
            state = .body(clock)
        }
        context.read()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch state {
        case .over, .discardingBody:
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        case .body where isBroken && unanswered == 0:
            // Hummingbird's 400 for a body that cannot be parsed, whose request has its response.
            promise?.succeed()
            return
        case .beforeFirst, .betweenRequests, .body:
            break
        }
        switch context.part(data, as: OutboundIn.self) {
        case .head: isAnswering = true
        case .body, nil: break
        case .end:
            isAnswering = false
            unanswered -= 1
        }
        context.write(data, promise: promise)
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // The rest of a body whose request has its response; Hummingbird closes both directions while it shuts down.
        guard mode != .input, unanswered == 0, case .body(var clock) = state else {
            return context.close(mode: mode, promise: promise)
        }
        guard !isBroken else { return closeOutput(promise, context) }
        clock.release(at: context.eventLoop.now)
        state = .discardingBody(clock, promise)
        if timer == nil { start(limits.body, context) }
        context.read()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isBroken = true
        if case .discardingBody(_, let promise) = state { closeOutput(promise, context) }
        context.fireErrorCaught(error)
    }

    /// Closes the output behind the last response. The client is to hang up then.
    private func closeOutput(_ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        state = .over
        context.close(mode: .output, promise: promise)
        start(limits.closeTimeout, context)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isQuiescing = true
            if case .body(var clock) = state {
                clock.limitRemaining(within: Self.closingLimit, now: context.eventLoop.now)
                state = .body(clock)
                start(Self.closingLimit, context)
            }
            if case .discardingBody(var clock, let promise) = state {
                clock.limitRemaining(within: Self.closingLimit, now: context.eventLoop.now)
                state = .discardingBody(clock, promise)
                start(Self.closingLimit, context)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Time

    private func rate(of head: HTTPRequest) -> Int? {
        let path = (head.path ?? "").prefix { $0 != "?" }
        let isStreamed = limits.streamedPaths.contains {
            path == $0 || path.hasPrefix($0) && path.dropFirst($0.count).first == "/"
        }
        return isStreamed ? limits.streamedBytesPerSecond : nil
    }

    private func start(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            handler.timedOut(context)
        }
    }

    private func timedOut(_ context: ChannelHandlerContext) {
        timer = nil
        switch state {
        case .beforeFirst, .over:
            context.close(promise: nil)
        case .betweenRequests:
            break
        case .body(var clock):
            let now = context.eventLoop.now
            let verdict = clock.verdict(at: now)
            state = .body(clock)
            switch verdict {
            case .checkAgain(at: let next): start(next - now, context)
            case .late: cutOff(context)
            }
        case .discardingBody(var clock, let promise):
            let now = context.eventLoop.now
            let verdict = clock.verdict(at: now)
            state = .discardingBody(clock, promise)
            switch verdict {
            case .checkAgain(at: let next): start(next - now, context)
            case .late: context.close(promise: nil)
            }
        }
    }

    /// Responds 408, unless an earlier response is due or this one has begun, and closes: first the output only, since
    /// closing with unread input would make the client's kernel discard the response.
    private func cutOff(_ context: ChannelHandlerContext) {
        state = .over
        guard unanswered == 1, !isAnswering else { return context.close(promise: nil) }
        let text = #"{"error":{"code":"bad_request","message":"the body took too long to arrive"}}"#
        let body = ByteBuffer(string: text)
        let head = HTTPResponse(
            status: .requestTimeout,
            headerFields: [
                .contentType: "application/json", .contentLength: String(body.readableBytes), .connection: "close",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        start(limits.closeTimeout, context)
        context.read()
    }
}
