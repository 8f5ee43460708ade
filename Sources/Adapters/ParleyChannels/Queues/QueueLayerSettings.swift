/// The settings of Django's `RedisChannelLayer` that its pub/sub layer does not have, with Django's names and defaults.
package struct QueueLayerSettings: Hashable, Sendable {
    /// `capacity` and `channel_capacity`.
    package var capacities = QueueCapacities()
    /// `expiry`: the time for which a queue keeps an event, in seconds.
    package var expiry: Int64 = 60
    /// `group_expiry`: the time for which a member stays in a group, in seconds.
    package var groupExpiry: Int64 = 86_400
    /// The name of this node, which its queues are named after.
    package var node = "parley"

    package init() {}

    /// The time for which a membership of a node counts, in seconds: at most an hour, so that a crashed node is gone
    /// before Django's own expiry.
    package var membershipSeconds: Int64 { min(groupExpiry, 3600) }
}
