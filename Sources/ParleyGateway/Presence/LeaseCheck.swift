/// Notices that a node has died, as a value: its lease is missing at two looks in a row. A node whose lease Redis has
/// lost is back by the second.
package struct LeaseCheck: Hashable, Sendable {
    private var alive: Set<String> = []
    private var missing: Set<String> = []

    package init() {}

    /// - Parameter leases: those that are alive now.
    /// - Returns: whether a node has gone since.
    package mutating func looked(_ leases: Set<String>) -> Bool {
        let gone = missing.subtracting(leases)
        missing = alive.subtracting(leases).subtracting(gone)
        alive = leases.union(missing)
        return !gone.isEmpty
    }
}
