/// Where the Redis hosts are and how they are used.
package struct RedisSettings: Hashable, Sendable {
    /// The hosts; their order counts.
    package var addresses: [RedisAddress]
    package var channels = ChannelsSettings()
    /// Stands before the names of all keys, and of the channels that only Parley uses.
    package var ownPrefix = ChannelNames.standardOwnPrefix
    package var link = RedisLinkSettings()
    package var log = RedisLogSettings()
    /// The largest payload that the bus takes in, in bytes; what is larger counts as poison.
    package var payloadBytes = 1024 * 1024

    package init(addresses: [RedisAddress]) {
        self.addresses = addresses
    }
}
