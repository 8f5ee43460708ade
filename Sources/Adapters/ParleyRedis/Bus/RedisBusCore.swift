import CoreMetrics
import Logging
import NIOCore
import ParleyChannels
import ParleyModel
import ParleyRedisClient

/// The state of a `RedisBus` on its event loop.
final class RedisBusCore: SubscriberLinkOwner {
    private struct Waiter {
        let topics: [BusTopic]
        var missing: Int
        /// The unavailable hosts.
        var away: Set<Int> = []
        let completion: (Result<Void, BusError>) -> Void
    }

    private let links: [SubscriberLink]
    private let layout: RedisLayout
    private let codec: EventCodec
    private let seen: SeenPositions
    private let metrics: BusMetrics
    private let logger: Logger
    private let payloadBytes: Int
    private let adoptedTypes: AdoptedTypes
    private var heartbeats: [Heartbeat]
    private let receiving: HostFlags
    private(set) var isStopped = false
    var receiver: (BusSignal) -> Void = { _ in }
    /// The subscribes that are not complete, by number.
    private var waiters: [SubscriptionTable.Request: Waiter] = [:]
    private var lastRequest = 0

    init(
        _ links: [SubscriberLink], _ hosts: RedisHosts, _ receiving: HostFlags, _ metrics: BusMetrics, _ logger: Logger
    ) {
        self.links = links
        self.receiving = receiving
        layout = hosts.layout
        seen = hosts.seen
        codec = EventCodec(hosts.settings.channels)
        payloadBytes = hosts.settings.payloadBytes
        adoptedTypes = hosts.settings.channels.adoptedTypes
        heartbeats = links.map { _ in Heartbeat() }
        self.metrics = metrics
        self.logger = logger
    }

    func start() {
        for link in links {
            link.owner = self
            link.start()
        }
    }

    func stop() {
        isStopped = true
        for link in links { link.stop() }
    }

    func whenReady(within limit: Duration) -> EventLoopFuture<Void> {
        let futures = links.map { $0.whenReady(within: limit) }
        return EventLoopFuture.andAllSucceed(futures, on: futures[0].eventLoop)
    }

    // MARK: Heartbeats

    /// Returns the heartbeats to publish now, by host. Gives up connections that do not receive them.
    func beat() -> [(host: Int, number: Int)] {
        var beats: [(host: Int, number: Int)] = []
        for (host, link) in links.enumerated() where link.isReady {
            switch heartbeats[host].ticked() {
            case .publish(let number): beats.append((host, number))
            case .giveUp: link.giveUp("heartbeats on the bus are not received")
            }
        }
        return beats
    }

    func published(_ number: Int, on host: Int) {
        heartbeats[host].published(number)
    }

    func heartbeatReceived(_ number: Int, on link: SubscriberLink) {
        if let host = host(of: link) { heartbeats[host].received(number) }
    }

    func began(_ link: SubscriberLink) {
        guard let host = host(of: link) else { return }
        heartbeats[host].began()
        receiving.set(host, true)
    }

    func ended(_ link: SubscriberLink) {
        if let host = host(of: link) { receiving.set(host, false) }
    }

    private func host(of link: SubscriberLink) -> Int? {
        links.firstIndex { $0 === link }
    }

    // MARK: Subscribing

    func subscribe(to topics: [BusTopic], _ completion: @escaping (Result<Void, BusError>) -> Void) {
        let channels = channels(of: topics)
        lastRequest += 1
        let hosts = channels.indices.filter { !channels[$0].isEmpty }
        guard !hosts.isEmpty else { return completion(.success(())) }
        let request = lastRequest
        waiters[request] = Waiter(topics: topics, missing: hosts.count, completion: completion)
        for host in hosts { links[host].subscribe(to: channels[host], as: request) }
    }

    func unsubscribe(from topics: [BusTopic]) {
        for (link, channels) in zip(links, channels(of: topics)) where !channels.isEmpty {
            link.unsubscribe(from: channels)
        }
    }

    /// Returns the channels of topics, by host.
    private func channels(of topics: [BusTopic]) -> [[(String, BusRoute)]] {
        var channels = [[(String, BusRoute)]](repeating: [], count: links.count)
        var seen: Set<BusTopic> = []
        for topic in topics where seen.insert(topic).inserted {
            let host = host(of: topic)
            switch topic {
            case .thread(let thread):
                channels[host].append((layout.names.messages(of: thread), .messages(thread)))
                channels[host].append((layout.names.events(of: thread), .events(thread)))
            case .user(let user):
                channels[host].append((layout.names.control(of: user), .control(user)))
            case .presence(let user):
                channels[host].append((layout.names.presence(of: user), .presence(user)))
            }
        }
        return channels
    }

    private func host(of topic: BusTopic) -> Int {
        switch topic {
        case .thread(let thread): layout.host(of: thread)
        case .user(let user): layout.ring.host(of: layout.names.control(of: user))
        case .presence(let user): layout.ring.host(of: layout.names.presence(of: user))
        }
    }

    func completed(_ requests: [SubscriptionTable.Request], on link: SubscriberLink, isAway: Bool) {
        for request in requests {
            guard var waiter = waiters[request] else { continue }
            waiter.missing -= 1
            if isAway, let host = host(of: link) { waiter.away.insert(host) }
            waiters[request] = waiter.missing > 0 ? waiter : nil
            guard waiter.missing == 0 else { continue }
            let away = waiter.away.isEmpty ? [] : waiter.topics.filter { waiter.away.contains(host(of: $0)) }
            waiter.completion(away.isEmpty ? .success(()) : .failure(.away(Set(away))))
        }
    }

    // MARK: Receiving

    func resubscribed() {
        metrics.resubscribed.increment()
        receiver(.resubscribed)
    }

    func received(_ payload: [UInt8], on routes: [BusRoute]) {
        do throws(ChannelsCodecError) {
            guard payload.count <= payloadBytes else { throw .tooLarge }
            if case .presence(let user) = routes.first {
                guard let presence = PresencePayload.presence(of: user, payload) else { throw .malformed }
                metrics.received.increment()
                return receiver(.presence(presence))
            }
            let content = try codec.read(payload)
            for route in routes {
                guard let signal = try signal(content, on: route) else { continue }
                metrics.received.increment()
                receiver(signal)
            }
        } catch .notForClients {
            // Applications send many events of their own in their groups, so these raise no alarm and are not logged
            // individually.
            metrics.foreignDropped.increment()
        } catch {
            metrics.poison.increment()
            logger.warning(
                "invalid payload on the bus", metadata: ["error": "\(error)", "bytes": "\(payload.count)"])
        }
    }

    /// Returns the signal that a payload carries on a channel; `nil` if it is meant for another reader of the channel.
    private func signal(
        _ content: EventCodec.Content, on route: BusRoute
    ) throws(ChannelsCodecError) -> BusSignal? {
        switch (route, content) {
        case (.messages(let thread), .event(let event)) where event.thread == thread:
            // With encryption, nodes receive the event in order from the other channel; this copy is for Django.
            guard event.message != nil, !codec.encrypts else { return nil }
            seen.heard(event.position, of: thread)
            return .event(event)
        case (.messages, .event):
            // The event belongs to another thread: it came from that thread's `….events` channel, or Django has
            // forwarded it without a usable position.
            return nil
        case (.messages(let thread), .other(let value)):
            guard !SignalPayload.isOurs(value) else { return nil }
            metrics.foreign.increment()
            return .foreign(try ForeignPayload.event(value, adopting: adoptedTypes), thread)
        case (.events(let thread), .event(let event)):
            guard event.thread == thread else { return nil }
            seen.heard(event.position, of: thread)
            return .event(event)
        case (.events(let thread), .other(let value)):
            return SignalPayload.ephemeral(value).map { .ephemeral($0, thread) }
        case (.control(let user), .other(let value)):
            return SignalPayload.control(value).map { .control($0, user) }
        case (.control, .event), (.presence, _):
            return nil
        }
    }
}
