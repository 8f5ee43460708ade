import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// The tickets redeemed on all nodes: a key for each, which expires with the ticket.
///
/// While the host of a ticket is unreachable the ticket is not accepted, since it might be used twice; another ticket is
/// likely to belong to another host. A ticket counts as used if the reply was lost or late while it was redeemed.
package final class RedisTicketStore: TicketStore {
    private let hosts: RedisHosts
    private let clock: WallClock
    private let timeout: Duration

    /// - Parameter timeout: the maximum time for a reply.
    package init(hosts: RedisHosts, clock: WallClock = .system, timeout: Duration = .seconds(2)) {
        self.timeout = timeout
        self.hosts = hosts
        self.clock = clock
    }

    /// Redeems a ticket; `false` also for one that has expired.
    package func redeem(_ nonce: String, until expiry: Int64) async throws(SharedStoreError) -> Bool {
        let milliseconds = expiry - clock.milliseconds
        guard milliseconds > 0 else { return false }
        let key = hosts.layout.names.ticket(nonce)
        let command = RESPCommand("SET", key, "1", "NX", "PX", String(milliseconds))
        do throws(RedisError) {
            let host = hosts.layout.ring.host(of: key)
            return try await hosts.commands[host].send(command, within: timeout) == .status("OK")
        } catch {
            throw .unavailable("\(error)")
        }
    }
}
