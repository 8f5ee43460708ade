/// The names that guests of the line door have at the moment, over all nodes.
package protocol GuestNames: Sendable {
    /// - Returns: whether the name is now this connection's; `false` if another has it.
    func claim(_ name: String, for connection: ConnectionID) async -> Bool
    func release(_ name: String, by connection: ConnectionID) async
}
