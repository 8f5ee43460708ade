package import ParleyModel

/// The tickets redeemed on all nodes: a key for each, which goes when the ticket is void anyway.
///
/// While Redis is away no ticket is accepted, since it might be used twice. One that was redeemed while the connection
/// was lost counts as used.
package final class RedisTicketStore: TicketStore {
    private let hosts: RedisHosts
    private let clock: WallClock

    package init(hosts: RedisHosts, clock: WallClock = .system) {
        self.hosts = hosts
        self.clock = clock
    }

    /// Also `false` for a ticket that has expired.
    package func redeem(_ nonce: String, until expiry: Int64) async -> Bool {
        let milliseconds = expiry - clock.milliseconds
        guard milliseconds > 0 else { return false }
        let key = hosts.layout.names.ticket(nonce)
        let command = RESPCommand("SET", key, "1", "NX", "PX", String(milliseconds))
        let reply = try? await hosts.commands[hosts.layout.ring.host(of: key)].send(command)
        return reply == .status("OK")
    }
}
