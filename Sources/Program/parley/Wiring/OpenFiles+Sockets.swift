import Logging
import ParleyGateway
import ParleyModel
import ParleySockets

extension OpenFiles {
    /// Descriptors needed besides the connections of clients. If none is left, libdispatch ends the process.
    private static let reserve = 200

    /// Raises the limit of open files to what the allowed sockets need. If it stays lower, the connection limits are
    /// lowered to fit, so that excess connections are rejected and others are not affected.
    static func raise(for settings: inout GatewaySettings, logger: Logger) {
        let (sockets, spare) = (settings.limits.connections, settings.spareConnections)
        let wanted = sockets > 0 ? sockets + spare + reserve : Int.max
        guard let files = raise(to: wanted), files < wanted else { return }
        let room = max(20, files - reserve)
        // A tenth for handshakes and REST, or fewer if the setting is lower.
        settings.spareConnections = min(spare, room / 10)
        let most = room - settings.spareConnections
        guard sockets == 0 || sockets > most else { return }
        settings.limits.connections = most
        logger.notice(
            "the limit of open files (ulimit -n) allows fewer sockets than limits.connections",
            metadata: ["files": "\(files)", "sockets": "\(settings.limits.connections)"])
    }

    /// Maximum number of connections of a process without sockets, within its limit of open files.
    static func spare(for settings: GatewaySettings) -> Int {
        let wanted = settings.spareConnections
        guard let files = raise(to: wanted + reserve) else { return wanted }
        return min(wanted, max(20, files - reserve))
    }
}
