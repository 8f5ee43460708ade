import NIOCore

/// Tells the stream of events on a connection that its client has hung up. Hummingbird keeps connections half open, so that a
/// write would be the first to notice, which is late on a silent stream.
///
/// Bound to its event loop. A connection has at most one, for its newest stream.
final class HangUpHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private static let name = "parley events"

    private weak var place: EventFollowers.Place?

    private init(_ place: EventFollowers.Place) {
        self.place = place
    }

    /// Watches a connection for a stream. May be called from any thread.
    static func watch(_ channel: any Channel, for place: EventFollowers.Place) {
        channel.eventLoop.execute { [weak place] in
            guard let place else { return }
            let pipeline = channel.pipeline.syncOperations
            if let known = try? pipeline.context(name: name).handler as? HangUpHandler {
                known.place = place
            } else {
                do {
                    try pipeline.addHandler(HangUpHandler(place), name: name, position: .first)
                } catch {
                    // The connection is closed already.
                    place.close()
                }
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        place?.close()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { place?.close() }
        context.fireUserInboundEventTriggered(event)
    }
}
