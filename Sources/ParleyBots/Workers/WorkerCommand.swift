/// A command of the load generator to a worker.
enum WorkerCommand: Codable, Hashable, Sendable {
    /// Open the sockets at the planned rate.
    case connect
    /// Count the bots that are connected and up to date.
    case live
    /// Return the sample of the last second.
    case sample
    case figures
    /// Send by plan: from, measured from, and until these instants of the monotonic clock, which all processes of a
    /// machine share.
    case begin(start: Int64, measured: Int64, end: Int64)
    /// Stop sending.
    case stop
    /// Let slow readers catch up.
    case hurry
    /// Count the bots that have something pending, or no live socket.
    case busy
    /// Return the highest seq seen or acknowledged, by thread.
    case heads
    /// Count the memberships of v1 bots that have not reached these seqs, by thread.
    case lagging(behind: [Int64])
    /// Return where read cursors were moved to.
    case moves
    /// Return the CPU time of the process, if it is the worker's own.
    case processTime
    /// Close all sockets, and return the checkers and figures.
    case end
    /// Release everything; the last command.
    case dissolve
}
