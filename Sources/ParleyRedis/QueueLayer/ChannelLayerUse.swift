/// Which channel layers of channels_redis are in use on a Redis, as far as its keys and channels show.
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

    /// Django's name of a layer.
    package static func backend(isCore: Bool) -> String {
        isCore ? "channels_redis.core.RedisChannelLayer" : "channels_redis.pubsub.RedisPubSubChannelLayer"
    }

    /// Compares what is used with the setting; text for operators.
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
    /// The maximum number of steps of a scan on each host, of about a thousand keys each.
    private static var scanSteps: Int { 1000 }
    /// The number of members of a group that are looked at.
    private static var membersAtOnce: Int { 50 }

    /// Looks for the channel layers that Django uses with the configured prefix. What is not permitted is not seen.
    package func channelLayerUse() async -> ChannelLayerUse {
        var use = ChannelLayerUse()
        for connection in commands {
            if await hasPubSubConsumer(connection) { use.isPubSubUsed = true }
            if await hasQueueConsumer(connection) { use.isQueueLayerUsed = true }
        }
        return use
    }

    /// The own channels of Django's consumers; nodes of Parley have none of this form.
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

    /// A pattern that matches only this text.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { pattern, character in
            if #"*?[]^\-"#.contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
    }
}
