/// Where the Redis hosts are and how they are used.
package struct RedisSettings: Hashable, Sendable {
    /// The hosts; their order counts.
    package var addresses: [RedisAddress]
    package var channels = ChannelsSettings()
    package var link = RedisLinkSettings()
    package var log = RedisLogSettings()

    package init(addresses: [RedisAddress]) {
        self.addresses = addresses
    }
}
