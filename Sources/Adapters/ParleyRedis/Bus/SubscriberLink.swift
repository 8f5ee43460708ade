import Logging
import NIOCore
import ParleyModel
import ParleyRedisClient

/// The callbacks of a `SubscriberLink`; called on its event loop.
protocol SubscriberLinkOwner: AnyObject {
    func received(_ payload: [UInt8], on routes: [BusRoute])
    /// The channels of the requests are subscribed on this host, or will be when it is back.
    func completed(_ requests: [SubscriptionTable.Request], on link: SubscriberLink, isAway: Bool)
    func resubscribed()
    /// A heartbeat number was received on the node's own channel.
    func heartbeatReceived(_ number: Int, on link: SubscriberLink)
    /// The connection is ready and subscribed to the node's own channel.
    func began(_ link: SubscriberLink)
    /// The connection was lost.
    func ended(_ link: SubscriberLink)
}

/// The content of a channel.
enum BusRoute: Hashable {
    case messages(ThreadID)
    case events(ThreadID)
    case control(UserID)
    case presence(UserID)
}

/// The subscriptions on one host. Owned by its event loop.
final class SubscriberLink: RedisLinkOwner {
    /// The maximum number of channels in one SUBSCRIBE.
    private static var batch: Int { 512 }

    private let link: RedisLink
    /// The node's own channel, for heartbeats.
    private let ownChannel: String
    private var table = SubscriptionTable()
    /// At most two per channel: `….events` may also be the name of another thread.
    private var routes: [String: [BusRoute]] = [:]
    weak var owner: (any SubscriberLinkOwner)?

    init(
        _ address: RedisAddress, ownChannel: String, eventLoop: any EventLoop, settings: RedisLinkSettings,
        transport: any RedisTransport, logger: Logger, metrics: @escaping () -> LinkMetrics
    ) {
        self.ownChannel = ownChannel
        link = RedisLink(
            address, eventLoop: eventLoop, settings: settings, transport: transport, logger: logger, metrics: metrics)
    }

    func start() {
        link.owner = self
        link.start()
    }

    func stop() {
        link.stop()
    }

    /// Closes this connection and reconnects.
    func giveUp(_ reason: String) {
        link.giveUp(reason)
    }

    var isReady: Bool { link.isReady }
    func whenReady(within limit: Duration) -> EventLoopFuture<Void> { link.whenReady(within: limit) }

    // MARK: Subscribing

    func subscribe(to channels: [(String, BusRoute)], as request: SubscriptionTable.Request) {
        for (name, route) in channels where routes[name]?.contains(route) != true {
            routes[name, default: []].append(route)
        }
        guard link.isReady else {
            table.subscribeLater(to: channels.map(\.0))
            owner?.completed([request], on: self, isAway: true)
            return
        }
        let (toSend, isDone) = table.subscribe(to: channels.map(\.0), as: request)
        send("SUBSCRIBE", toSend)
        if isDone { owner?.completed([request], on: self, isAway: false) }
    }

    func unsubscribe(from channels: [(String, BusRoute)]) {
        var unwanted: [String] = []
        for (name, route) in channels where routes[name]?.contains(route) == true {
            routes[name]?.removeAll { $0 == route }
            guard routes[name]?.isEmpty == true else { continue }
            routes[name] = nil
            unwanted.append(name)
        }
        let (toSend, isBack) = table.unsubscribe(from: unwanted)
        if link.isReady { send("UNSUBSCRIBE", toSend) }
        if isBack { owner?.resubscribed() }
    }

    private func send(_ command: String, _ channels: [String]) {
        guard !channels.isEmpty else { return }
        for start in stride(from: 0, to: channels.count, by: Self.batch) {
            let part = channels[start..<min(start + Self.batch, channels.count)]
            link.write(RESPCommand([command] + part).bytes)
        }
        link.flush()
    }

    // MARK: RedisLinkOwner

    func linkBecameReady() {
        send("SUBSCRIBE", [ownChannel])
        send("SUBSCRIBE", table.resubscribed())
        owner?.began(self)
    }

    func linkBecameLost(_ reason: String) {
        let failed = table.lost()
        owner?.ended(self)
        owner?.completed(failed, on: self, isAway: true)
    }

    func linkReceived(_ reply: RESPValue) {
        guard let parts = reply.elements, parts.count == 3, let kind = parts[0].bytes, let name = parts[1].text else {
            return
        }
        if kind.elementsEqual("message".utf8) {
            guard let payload = parts[2].bytes else { return }
            if name == ownChannel {
                if let number = parts[2].number { owner?.heartbeatReceived(Int(number), on: self) }
            } else if let routes = routes[name] {
                owner?.received(payload, on: routes)
            }
        } else if kind.elementsEqual("subscribe".utf8) {
            let (done, isBack) = table.acknowledged(name)
            owner?.completed(done, on: self, isAway: false)
            if isBack { owner?.resubscribed() }
        }
    }

    func linkWantsPing() {
        link.write(RESPCommand("PING").bytes)
        link.flush()
    }
}
