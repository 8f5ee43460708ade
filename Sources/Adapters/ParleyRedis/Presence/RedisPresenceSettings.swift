/// The intervals of a `RedisPresence`.
package struct RedisPresenceSettings: Hashable, Sendable {
    /// The time for which a node counts as alive after its last renewal.
    package var lease = Duration.seconds(15)
    /// The interval at which the lease is renewed.
    package var renewal = Duration.seconds(5)
    /// The time for which changes are collected before a write.
    package var pause = Duration.milliseconds(20)
    /// The time for which last-seen times are kept. A node rewrites its users within this time.
    package var retention = Duration.seconds(8 * 24 * 60 * 60)
    /// The maximum time for a reply.
    package var timeout = Duration.seconds(2)

    package init() {}
}
