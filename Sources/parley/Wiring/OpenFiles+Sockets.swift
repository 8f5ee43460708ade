import Logging
import ParleyGateway
import ParleyModel
import ParleySockets

extension OpenFiles {
    /// What is needed besides the connections of clients. Without any to spare, libdispatch ends the process.
    private static let reserve = 200

    /// Raises the limit to what the sockets that are allowed need, and, where it stays below, lowers the limits of
    /// connections to what the files are enough for, so that who comes too late is refused and nobody else notices.
    static func suffice(for settings: inout GatewaySettings, logger: Logger) {
        let (sockets, spare) = (settings.limits.connections, settings.spareConnections)
        let wanted = sockets > 0 ? sockets + spare + reserve : Int.max
        guard let files = raise(to: wanted), files < wanted else { return }
        let room = max(20, files - reserve)
        // A tenth for handshakes and REST, or less if less is allowed.
        settings.spareConnections = min(spare, room / 10)
        let most = room - settings.spareConnections
        guard sockets == 0 || sockets > most else { return }
        settings.limits.connections = most
        logger.notice(
            "the limit of open files (ulimit -n) allows fewer sockets than limits.connections",
            metadata: ["files": "\(files)", "sockets": "\(settings.limits.connections)"])
    }

    /// How many connections a process without sockets may have, as far as its files are enough.
    static func spare(for settings: GatewaySettings) -> Int {
        let wanted = settings.spareConnections
        guard let files = raise(to: wanted + reserve) else { return wanted }
        return min(wanted, max(20, files - reserve))
    }
}
