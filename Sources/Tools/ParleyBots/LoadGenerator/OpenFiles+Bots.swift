import ParleySockets

extension OpenFiles {
    /// Files needed besides the bots' sockets. If none is left, libdispatch ends the process.
    private static let reserve = 200

    /// Raises the limit within what is permitted; returns an error if that is not enough.
    static func violation(for sockets: Int) -> PlanError? {
        let needed = sockets + reserve
        guard let files = raise(to: needed), files < needed else { return nil }
        return PlanError(
            "\(sockets) bots need \(needed) open files, but a process may have \(files); raise the limit (ulimit -n), "
                + "the server's too, or use more --workers")
    }
}
