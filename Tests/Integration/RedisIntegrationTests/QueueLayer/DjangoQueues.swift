import CoreMetrics
import Logging
import NIOPosix
import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyTestSupport
import Testing

/// What a process of Django does on the core layer, by commands of its own: see `channels_redis/core.py`.
struct DjangoQueues: Sendable {
    /// An event of Django's queue.
    struct Received: Hashable {
        let event: ChannelsValue
        let channels: [String]
    }

    let hosts: RedisHosts
    /// The name of this process' queue.
    let queue: String
    private let codec: ChannelsCodec
    private var names: ChannelNames { hosts.layout.names }
    private var ring: HostRing { hosts.layout.ring }

    static func start(_ settings: RedisSettings, process: Int = 1) async throws -> DjangoQueues {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let hosts = RedisHosts(
            settings, eventLoops: [MultiThreadedEventLoopGroup.singleton.next()], logger: logger,
            metrics: NOOPMetricsHandler.instance)
        hosts.start()
        try await hosts.waitUntilReady(within: .seconds(20))
        return DjangoQueues(
            hosts: hosts, queue: "specific.\(process)\(String(repeating: "0", count: 31))!",
            codec: ChannelsCodec(settings.channels))
    }

    func stop() async { await hosts.stop() }

    // MARK: Groups

    func join(_ group: String, as local: String = "a") async throws {
        try await send(on: group, "ZADD", names.layerGroup(group), "\(WallClock.system.seconds)", queue + local)
    }

    func members(of group: String) async throws -> [String] {
        try await send(on: group, "ZRANGE", names.layerGroup(group), "0", "-1").elements?.compactMap(\.text) ?? []
    }

    /// Waits until the group has this many members.
    func waitForMembers(_ count: Int, of group: String) async throws {
        var members: [String] = []
        let are = try await eventually {
            members = try await self.members(of: group)
            return members.count == count
        }
        try #require(are, "members of \(group): \(members)")
    }

    // MARK: Sending

    /// As `group_send`, with one score for all queues.
    func groupSend(_ event: ChannelsValue, to group: String) async throws {
        let sent = Self.now()
        for channel in try await members(of: group) {
            let payload = try codec.encode(QueueMember.event(event, to: [channel]), seconds: WallClock.system.seconds)
            try await put(payload, into: QueueNames.queue(of: channel), at: sent)
        }
    }

    /// Seconds since 1970, as scores are.
    private static func now() -> Double {
        Double(WallClock.systemMicroseconds()) / 1_000_000
    }

    /// Puts a payload into a queue, after 12 random bytes.
    func put(_ payload: [UInt8], into queue: String, at score: Double? = nil, age: Double = 0) async throws {
        var generator = SystemRandomNumberGenerator()
        let prefix = (0..<QueueMember.prefixLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try await put(member: prefix + payload, into: queue, at: score, age: age)
    }

    func put(member: [UInt8], into queue: String, at score: Double? = nil, age: Double = 0) async throws {
        var command = RESPCommand(count: 4)
        command.append("ZADD")
        command.append(names.layerQueue(queue))
        command.append("\((score ?? Self.now()) - age)")
        command.append(member)
        _ = try await hosts.commands[ring.host(of: queue)].send(command)
        try await send(on: queue, "EXPIRE", names.layerQueue(queue), "60")
    }

    // MARK: Receiving

    /// Takes all that is in this process' queue.
    func receive() async throws -> [Received] {
        let reply = try await send(on: queue, "ZPOPMIN", names.layerQueue(queue), "100000")
        let elements = reply.elements ?? []
        return try stride(from: 0, to: elements.count, by: 2).map { index in
            let bytes = try #require(elements[index].bytes)
            let member = try QueueMember(bytes, codec, now: WallClock.system.seconds, expiry: 60)
            return Received(event: member.event, channels: member.channels)
        }
    }

    /// Takes from the queue until there were so many.
    func receive(_ count: Int, within limit: Duration = .patience) async throws -> [Received] {
        var all: [Received] = []
        _ = try await eventually(within: limit) {
            all += try await receive()
            return all.count >= count
        }
        try #require(all.count == count, "events in the queue")
        return all
    }

    @discardableResult
    func send(on name: String, _ arguments: String...) async throws -> RESPValue {
        try await hosts.commands[ring.host(of: name)].send(RESPCommand(arguments))
    }

    static func message(_ number: Int) -> ChannelsValue {
        .object(["type": .text("chat.message"), "message": .object(["n": .int(Int64(number))])])
    }

    static func foreign(_ number: Int, in thread: ThreadID) -> BusSignal {
        .foreign(ForeignEvent(json: Array(#"{"type":"message","n":\#(number)}"#.utf8)), thread)
    }
}

extension DjangoQueues.Received {
    /// The seq of a message of Parley.
    var seq: Int64? { event["message"]?["seq"]?.integer }
    var text: String? { event["message"]?["text"]?.text }
}
