import ParleyAccounts
import ParleyModel
import ParleyRedis

extension Settings {
    /// Where Redis is and how it is used; `nil`: there is none, and bus and log are in memory.
    static func redis(_ reader: inout SettingsReader) throws(SettingError) -> RedisSettings? {
        let urls = try reader.optionalText(
            "redis", allowed: "redis://, rediss://, redis+sentinel:// or unix:// URLs divided by commas",
            standard: "not set: bus and log in memory",
            "The Redis hosts, in the order that Django's `hosts` has (`--redis`, repeatable). Secret if it has a password."
        )
        var settings = RedisSettings(addresses: [])
        settings.channels = try channels(&reader)
        settings.ownPrefix = try reader.text(
            "keys.prefix", settings.ownPrefix, allowed: "1 to 32 characters of A-Z a-z 0-9 . _ -",
            "Stands before Parley's own keys and channels in Redis. Two Parleys on one Redis need two, and two `channels.prefix`.",
            isAllowed: { $0.utf8.count <= 32 && ThreadID($0) != nil })
        settings.log.windowEvents = try reader.integer(
            "log.events", settings.log.windowEvents, in: 1...100_000,
            "The newest events of a thread that Redis keeps for who comes back; older ones are read from the database.")
        settings.log.windowSeconds = try reader.integer(
            "log.seconds", settings.log.windowSeconds, in: 60...2_592_000,
            "How long Redis keeps the events of a quiet thread.")
        settings.log.onceMilliseconds =
            Int64(
                try reader.integer(
                    "log.once_seconds", Int(settings.log.onceMilliseconds / 1000), in: 60...2_592_000,
                    "How long Redis knows a send by its client_id; beyond it the database does, which is asked for ids older than half of this."
                )) * 1000
        guard let urls else { return nil }
        for (index, url) in addresses(in: urls).enumerated() {
            do throws(RedisAddress.ParseError) {
                settings.addresses.append(try RedisAddress(url))
            } catch {
                throw SettingError(setting: "PARLEY_REDIS (redis)", explanation: "host \(index + 1): \(error)")
            }
        }
        return settings
    }

    /// That the process is not meant to be alone.
    func requireCluster() throws(SettingError) {
        guard redis != nil else {
            throw SettingError(
                setting: "PARLEY_REDIS (redis)", explanation: "is needed: Redis connects gateways and persisters")
        }
    }

    /// The URLs of a list; a comma divides them only where a new URL begins, since Sentinel's have commas too.
    private static func addresses(in list: String) -> [String] {
        list.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) { urls, piece in
            if piece.contains("://") || urls.isEmpty {
                urls.append(piece.filter { $0 != " " })
            } else {
                urls[urls.count - 1] += "," + piece
            }
        }
    }

    private static func channels(_ reader: inout SettingsReader) throws(SettingError) -> ChannelsSettings {
        var settings = ChannelsSettings()
        settings.prefix = try reader.text(
            "channels.prefix", settings.prefix, allowed: "a text",
            "Django's `prefix`: stands before every channel name.")
        let serializer = try reader.text(
            "channels.serializer", settings.serializer.rawValue,
            allowed: ChannelsSettings.Serializer.allCases.map(\.rawValue).joined(separator: ", "),
            "Django's `serializer_format`.", isAllowed: { ChannelsSettings.Serializer(rawValue: $0) != nil })
        settings.serializer = ChannelsSettings.Serializer(rawValue: serializer) ?? .msgpack
        let keys = try reader.optionalText(
            "channels.symmetric_encryption_keys", allowed: "keys divided by commas",
            "Django's `symmetric_encryption_keys`: the first encrypts, all decrypt. Secret.")
        settings.symmetricEncryptionKeys = keys?.split(separator: ",").map(String.init) ?? []
        return settings
    }
}
