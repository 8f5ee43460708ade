/// One process of the simulated cluster: a node, or the world with everything that is outside of nodes.
///
/// All that runs is tagged with the process in whose context it was enqueued. A killed process never runs again;
/// nothing else touches its objects.
package final class SimulatedProcess {
    package enum State {
        case running
        /// Its jobs are held until it continues.
        case paused
        case dead
    }

    package let name: String
    let number: Int
    package internal(set) var state = State.running
    /// The offset of its wall clock from virtual time, in nanoseconds.
    package var wallOffset: Int64
    /// The items that became ready while it was paused, or that remain when it is dead.
    var held: [Scheduler.Item] = []

    init(name: String, number: Int, wallOffset: Int64) {
        self.name = name
        self.number = number
        self.wallOffset = wallOffset
    }
}
