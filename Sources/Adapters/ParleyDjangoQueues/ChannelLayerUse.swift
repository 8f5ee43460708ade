import ParleyChannels
import ParleyRedis
import ParleyRedisClient

/// The channel layers of channels_redis that the keys and channels of a Redis server show to be in use.
package struct ChannelLayerUse: Hashable, Sendable {
    package enum Finding: Hashable, Sendable {
        case agrees(String)
        case unclear(String)
        case differs(String)
    }

    package var isPubSubUsed = false
    package var isQueueLayerUsed = false

    package init(isPubSubUsed: Bool = false, isQueueLayerUsed: Bool = false) {
        self.isPubSubUsed = isPubSubUsed
        self.isQueueLayerUsed = isQueueLayerUsed
    }

    /// Returns Django's name for a layer.
    package static func backend(isCore: Bool) -> String {
        isCore ? "channels_redis.core.RedisChannelLayer" : "channels_redis.pubsub.RedisPubSubChannelLayer"
    }

    /// Compares the layers in use with the setting, as text for operators.
    package func finding(isCore: Bool) -> Finding {
        let other = Self.backend(isCore: !isCore)
        switch (isCore ? isQueueLayerUsed : isPubSubUsed, isCore ? isPubSubUsed : isQueueLayerUsed) {
        case (true, false):
            return .agrees("a Django site uses \(Self.backend(isCore: isCore))")
        case (true, true):
            return .unclear("Django uses \(other) with this prefix too; Parley serves only the layer that is set")
        case (false, true):
            return .differs(
                "WARNING: Django uses \(other) with this prefix, but PARLEY_CHANNELS_LAYER is "
                    + "\(isCore ? "core" : "pubsub"): nothing will arrive in either direction")
        case (false, false):
            return .unclear("no consumer of Django is connected, so its channel layer is not seen")
        }
    }
}

extension RedisHosts {
    /// The maximum number of steps of a scan on each host. A step covers about a thousand keys.
    private static var scanSteps: Int { 1000 }
    /// The number of a group's members that are examined.
    private static var membersAtOnce: Int { 50 }

    /// Detects the channel layers that Django uses with the configured prefix. If Redis does not permit a command, the
    /// layer that it would find is missed.
    package func channelLayerUse() async -> ChannelLayerUse {
        var use = ChannelLayerUse()
        for connection in commands {
            if await hasPubSubConsumer(connection) { use.isPubSubUsed = true }
            if await hasQueueConsumer(connection) { use.isQueueLayerUsed = true }
        }
        return use
    }

    /// Whether a Django consumer is subscribed to a channel of its own. Parley nodes have no channels of this form.
    private func hasPubSubConsumer(_ connection: CommandConnection) async -> Bool {
        let pattern = Self.escaped(settings.channels.prefix) + "specific.*"
        let reply = try? await connection.send(RESPCommand("PUBSUB", "CHANNELS", pattern))
        return reply?.elements?.isEmpty == false
    }

    private func hasQueueConsumer(_ connection: CommandConnection) async -> Bool {
        let prefix = settings.channels.prefix
        var cursor = "0"
        for _ in 0..<Self.scanSteps {
            let scan = RESPCommand(
                "SCAN", cursor, "MATCH", Self.escaped(prefix) + "*", "COUNT", "1000", "TYPE", "zset")
            guard let parts = try? await connection.send(scan).elements, parts.count == 2, let next = parts[0].text
            else { return false }
            for key in parts[1].elements?.compactMap(\.text) ?? [] {
                if key.hasPrefix(prefix + "specific."), key.contains("!") { return true }
                if key.hasPrefix(prefix + ":group:"), await hasConsumer(key, connection) { return true }
            }
            if next == "0" { return false }
            cursor = next
        }
        return false
    }

    private func hasConsumer(_ group: String, _ connection: CommandConnection) async -> Bool {
        let command = RESPCommand("ZRANGE", group, "0", "\(Self.membersAtOnce - 1)")
        let members = try? await connection.send(command).elements?.compactMap(\.text)
        return members?.contains { !LayerQueues.isNode($0) } ?? false
    }

    /// Returns a pattern that matches only this text.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { pattern, character in
            if #"*?[]^\-"#.contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
    }
}
