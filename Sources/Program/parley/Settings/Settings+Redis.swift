import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient

extension Settings {
    /// Reads how Redis is reached and used. The result is `nil` if bus and log are in memory.
    /// - Parameter isNeeded: whether it is an error if none is set.
    static func redis(_ reader: inout SettingsReader, isNeeded: Bool) -> RedisSettings? {
        let urls = reader.optionalText(
            "redis", allowed: "comma-separated redis://, rediss://, redis+sentinel:// or unix:// URLs",
            standard: "not set: bus and log in memory",
            "Redis hosts, in the order of Django's `hosts` (`--redis`, repeatable).", secrecy: .url)
        if isNeeded, urls == nil {
            reader.reject("redis", "is required: Redis connects gateways and persisters; set it, or give --redis")
        }
        var settings = RedisSettings(addresses: [])
        settings.channels = channels(&reader)
        settings.ownPrefix = reader.text(
            "keys.prefix", settings.ownPrefix, allowed: "1 to 32 characters of A-Z a-z 0-9 . _ -",
            "Prefix of Parley's own keys and channels in Redis; clusters on one Redis need different ones, as of `channels.prefix`.",
            isAllowed: { $0.utf8.count <= 32 && ThreadID($0) != nil })
        settings.log.windowEvents = reader.integer(
            "log.events", settings.log.windowEvents, in: 1...100_000,
            "Newest events of a thread that Redis keeps for resuming clients; older ones are read from the database.")
        settings.log.windowSeconds = reader.integer(
            "log.seconds", settings.log.windowSeconds, in: 60...2_592_000,
            "Time that Redis keeps the events of an idle thread, in seconds.")
        settings.log.onceMilliseconds =
            Int64(
                reader.integer(
                    "log.once_seconds", Int(settings.log.onceMilliseconds / 1000), in: 60...2_592_000,
                    "Seconds that Redis remembers the `client_id` of a send; IDs older than half of it are looked up in the database."
                )) * 1000
        guard let urls else { return nil }
        for (index, url) in addresses(in: urls).enumerated() {
            do throws(RedisAddress.ParseError) {
                settings.addresses.append(try RedisAddress(url))
            } catch {
                reader.reject("redis", "host \(index + 1): \(error)")
            }
        }
        return settings
    }

    /// The URLs of a list. A comma separates them only where a new URL begins, since Sentinel URLs contain commas too.
    private static func addresses(in list: String) -> [String] {
        list.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) { urls, piece in
            if piece.contains("://") || urls.isEmpty {
                urls.append(piece.filter { $0 != " " })
            } else {
                urls[urls.count - 1] += "," + piece
            }
        }
    }

    private static func channels(_ reader: inout SettingsReader) -> ChannelsSettings {
        var settings = ChannelsSettings()
        settings.prefix = reader.text(
            "channels.prefix", settings.prefix, allowed: "a string",
            "Django's `prefix`, which begins every channel name.")
        let serializer = reader.text(
            "channels.serializer", settings.serializer.rawValue,
            allowed: ChannelsSettings.Serializer.allCases.map(\.rawValue).joined(separator: ", "),
            "Django's `serializer_format`.", isAllowed: { ChannelsSettings.Serializer(rawValue: $0) != nil })
        settings.serializer = ChannelsSettings.Serializer(rawValue: serializer) ?? .msgpack
        let keys = reader.optionalText(
            "channels.symmetric_encryption_keys", allowed: "comma-separated keys",
            "Django's `symmetric_encryption_keys`: the first encrypts, all decrypt.", secrecy: .secret)
        settings.symmetricEncryptionKeys = keys?.split(separator: ",").map(String.init) ?? []
        let adopted = reader.optionalText(
            "channels.adopt", allowed: "comma-separated event types, e.g. chat.message",
            "Types of Django's events that are numbered and stored if their sender is a member of the thread; by default none are."
        )
        if let adopted {
            if let types = AdoptedTypes(adopted) {
                settings.adoptedTypes = types
            } else {
                reader.rejectValue(of: "channels.adopt")
            }
        }
        let layer = reader.text(
            "channels.layer", "pubsub", allowed: "pubsub, core",
            "Django's channel layer: RedisPubSubChannelLayer or RedisChannelLayer. With `core`, each node needs its own `node`.",
            isAllowed: { ["pubsub", "core"].contains($0) })
        let core = queueLayer(&reader)
        settings.core = layer == "core" ? core : nil
        return settings
    }

    private static func queueLayer(_ reader: inout SettingsReader) -> QueueLayerSettings {
        var settings = QueueLayerSettings()
        settings.capacities.standard = reader.integer(
            "channels.capacity", settings.capacities.standard, in: 1...1_000_000,
            "Django's `capacity`: events that a queue of the core layer holds.")
        let patterns = reader.optionalText(
            "channels.channel_capacity", allowed: "comma-separated PATTERN=CAPACITY",
            "Django's `channel_capacity`: other capacities for channels whose names match a pattern.")
        for pattern in patterns?.split(separator: ",") ?? [] {
            if let pattern = QueueCapacities.Pattern(pattern) {
                settings.capacities.patterns.append(pattern)
            } else {
                reader.rejectValue(of: "channels.channel_capacity")
            }
        }
        settings.expiry = Int64(
            reader.integer(
                "channels.expiry", Int(settings.expiry), in: 1...86_400,
                "Django's `expiry`: time that a queue of the core layer keeps an event, in seconds."))
        settings.groupExpiry = Int64(
            reader.integer(
                "channels.group_expiry", Int(settings.groupExpiry), in: 60...31_536_000,
                "Django's `group_expiry`: time that a member stays in a group of the core layer, in seconds."))
        return settings
    }
}
