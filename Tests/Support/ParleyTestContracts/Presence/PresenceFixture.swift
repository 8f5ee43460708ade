package import ParleyModel
package import ParleyTestSupport

/// A node: its presence registry and its bus.
package struct PresenceNode: Sendable {
    package let presenceRegistry: any PresenceRegistry
    package let bus: any ThreadBus
    /// The signals that the bus has delivered to this node.
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

    /// The published changes of a user.
    package func heard(_ user: UserID) -> [UserPresence] {
        received.elements.compactMap {
            if case .presence(let presence) = $0, presence.user == user { presence } else { nil }
        }
    }
}

/// Presence registries over one empty state, for contract tests. Each fact gets a fixture of its own.
package protocol PresenceFixture: Sendable {
    func makeNode() async throws -> PresenceNode
    func stop() async
}
