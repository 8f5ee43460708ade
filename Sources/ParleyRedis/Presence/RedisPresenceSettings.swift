/// The intervals of a `RedisPresence`.
package struct RedisPresenceSettings: Hashable, Sendable {
    /// How long a node counts as alive after its last renewal.
    package var lease = Duration.seconds(15)
    /// How often the lease is renewed.
    package var renewal = Duration.seconds(5)
    /// How long changes are collected before a write.
    package var pause = Duration.milliseconds(20)
    /// How long last-seen times are kept. A node rewrites its users within this time.
    package var retention = Duration.seconds(8 * 24 * 60 * 60)
    /// The maximum time for a reply.
    package var timeout = Duration.seconds(2)

    package init() {}
}
