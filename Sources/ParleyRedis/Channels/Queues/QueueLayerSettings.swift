/// The settings of Django's `RedisChannelLayer` that its pub/sub layer does not have, with Django's names and defaults.
package struct QueueLayerSettings: Hashable, Sendable {
    /// `capacity` and `channel_capacity`.
    package var capacities = QueueCapacities()
    /// `expiry`: for how many seconds a queue keeps an event.
    package var expiry: Int64 = 60
    /// `group_expiry`: for how many seconds a member stays in a group.
    package var groupExpiry: Int64 = 86_400
    /// The name of this node, which its queues are named after.
    package var node = "parley"

    package init() {}

    /// For how many seconds a membership of a node counts: at most an hour, so that a node that has crashed is gone
    /// before Django's own expiry.
    package var membershipSeconds: Int64 { min(groupExpiry, 3600) }
}
