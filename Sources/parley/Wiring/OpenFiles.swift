import Glibc
import Logging
import ParleyGateway
import ParleyModel

/// How many files, so sockets, this process may have open.
enum OpenFiles {
    /// What is needed besides the connections of clients. Without any to spare, libdispatch ends the process.
    private static let reserve = 300

    /// Raises the limit as far as the process may.
    /// - Returns: the limit then; `nil` if it is not known.
    static func raise() -> Int? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        guard getrlimit(resource, &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    /// Lowers the limits of connections to what the files are enough for, so that who comes too late is refused and
    /// nobody else notices.
    static func bound(_ settings: inout GatewaySettings, files: Int, logger: Logger) {
        let room = max(10, files - reserve)
        let wanted = settings.limits.connections > 0 ? settings.limits.connections : Int.max
        guard wanted >= room || wanted + settings.spareConnections > room else { return }
        // A tenth for handshakes and REST.
        settings.limits.connections = min(wanted, room - room / 10)
        settings.spareConnections = min(settings.spareConnections, room - settings.limits.connections)
        logger.notice(
            "the limit of open files (ulimit -n) allows fewer sockets than limits.connections",
            metadata: ["files": "\(files)", "sockets": "\(settings.limits.connections)"])
    }
}
