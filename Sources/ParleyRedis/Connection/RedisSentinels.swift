/// The sentinels that know who the master of a group is.
package struct RedisSentinels: Hashable, Sendable {
    /// At least one; asked in this order.
    package var endpoints: [RedisEndpoint]
    /// What the sentinels call the group.
    package var master: String
    /// The sentinels' own user, if they have any.
    package var user: String?
    package var password: String?

    package init(endpoints: [RedisEndpoint], master: String, user: String? = nil, password: String? = nil) {
        self.endpoints = endpoints
        self.master = master
        self.user = user
        self.password = password
    }
}
