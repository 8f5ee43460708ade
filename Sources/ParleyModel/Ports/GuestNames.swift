/// The names in use by guests of the line protocol, over all nodes.
package protocol GuestNames: Sendable {
    /// - Returns: whether the connection now owns the name; `false` if another connection does.
    func claim(_ name: String, for connection: ConnectionID) async -> Bool
    func release(_ name: String, by connection: ConnectionID) async
}
