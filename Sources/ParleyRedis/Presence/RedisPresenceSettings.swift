/// The times of a `RedisPresence`.
package struct RedisPresenceSettings: Hashable, Sendable {
    /// How long a node counts as alive after it was last heard of.
    package var lease = Duration.seconds(15)
    /// How often it says that it is.
    package var renewal = Duration.seconds(5)
    /// How long changes are gathered.
    package var pause = Duration.milliseconds(20)
    /// How long it is remembered when a user was last seen. A node writes its users anew within this time.
    package var retention = Duration.seconds(8 * 24 * 60 * 60)
    /// How long an answer may take.
    package var timeout = Duration.seconds(2)

    package init() {}
}
