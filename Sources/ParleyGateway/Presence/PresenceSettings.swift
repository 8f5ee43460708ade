/// The times and bounds of a `PresenceWatch`.
package struct PresenceSettings: Hashable, Sendable {
    /// How long a user whose last socket has closed still counts as here: who comes back at once has not been away.
    package var grace = Duration.milliseconds(400)
    /// How often it is looked whether somebody's grace is over.
    package var tick = Duration.milliseconds(100)
    /// How often it is looked which nodes are alive.
    package var look = Duration.seconds(5)
    /// How long all nodes may take to say again who their users are, after a cut.
    package var recovery = Duration.seconds(8)
    /// Users that one connection can watch.
    package var usersPerConnection = 500
    /// Users watched by all connections of this node, counted for each; more are `unavailable`.
    package var watched = 2_000_000
    /// Users whose state is read in one call.
    package var batch = 500

    package init() {}
}
