package import ParleyModel

/// One node: its board, and its end of the bus.
package struct PresenceNode: Sendable {
    package let presenceRegistry: any PresenceRegistry
    package let bus: any ThreadBus
    /// What the bus has delivered to this node.
    package let received: Recorder<BusSignal>
    /// Ends the node as `kill -9` does.
    package let crash: @Sendable () async -> Void

    package init(
        presenceRegistry: any PresenceRegistry, bus: any ThreadBus, crash: @escaping @Sendable () async -> Void
    ) {
        self.presenceRegistry = presenceRegistry
        self.bus = bus
        self.crash = crash
        let received = Recorder<BusSignal>()
        self.received = received
        bus.attach { received.record($0) }
    }

    /// What was published of a user.
    package func heard(_ user: UserID) -> [UserPresence] {
        received.elements.compactMap {
            if case .presence(let presence) = $0, presence.user == user { presence } else { nil }
        }
    }
}

/// Boards over one and the same knowledge, empty, to be held to the contract. Each fact gets one of its own.
package protocol PresenceFixture: Sendable {
    func makeNode() async throws -> PresenceNode
    func stop() async
}
