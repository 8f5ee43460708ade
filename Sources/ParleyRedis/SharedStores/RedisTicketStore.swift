package import ParleyModel

/// The tickets redeemed on all nodes: a key for each, which expires with the ticket.
///
/// While Redis is unreachable no ticket is accepted, since it might be used twice. A ticket counts as used if the
/// connection was lost while it was redeemed.
package final class RedisTicketStore: TicketStore {
    private let hosts: RedisHosts
    private let clock: WallClock

    package init(hosts: RedisHosts, clock: WallClock = .system) {
        self.hosts = hosts
        self.clock = clock
    }

    /// Redeems a ticket; `false` also for one that has expired.
    package func redeem(_ nonce: String, until expiry: Int64) async -> Bool {
        let milliseconds = expiry - clock.milliseconds
        guard milliseconds > 0 else { return false }
        let key = hosts.layout.names.ticket(nonce)
        let command = RESPCommand("SET", key, "1", "NX", "PX", String(milliseconds))
        let reply = try? await hosts.commands[hosts.layout.ring.host(of: key)].send(command)
        return reply == .status("OK")
    }
}
