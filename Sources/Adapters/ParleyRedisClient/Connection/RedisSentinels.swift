/// The sentinels of a group.
package struct RedisSentinels: Hashable, Sendable {
    /// At least one; queried in this order.
    package var endpoints: [RedisEndpoint]
    /// The group's name at the sentinels.
    package var master: String
    /// The user for the sentinels themselves, if they have one.
    package var user: String?
    package var password: String?

    package init(endpoints: [RedisEndpoint], master: String, user: String? = nil, password: String? = nil) {
        self.endpoints = endpoints
        self.master = master
        self.user = user
        self.password = password
    }
}
