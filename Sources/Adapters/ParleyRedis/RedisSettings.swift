package import ParleyChannels
package import ParleyRedisClient

/// The settings of the Redis hosts.
package struct RedisSettings: Hashable, Sendable {
    /// The hosts; their order matters.
    package var addresses: [RedisAddress]
    package var channels = ChannelsSettings()
    /// The prefix of all keys, and of the channels that only Parley uses.
    package var ownPrefix = ChannelNames.standardOwnPrefix
    package var link = RedisLinkSettings()
    package var log = RedisLogSettings()
    /// The maximum size of a payload accepted by the bus, in bytes; larger ones count as poison.
    package var payloadBytes = 1024 * 1024

    package init(addresses: [RedisAddress]) {
        self.addresses = addresses
    }
}
