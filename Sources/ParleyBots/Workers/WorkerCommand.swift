/// What a fleet asks of a squad.
enum WorkerCommand: Codable, Hashable, Sendable {
    /// Open the sockets, at the plan's pace.
    case connect
    /// How many bots are connected and up to date?
    case live
    /// What did the last second give?
    case sample
    case figures
    /// Send by plan: from, measured from, and until these instants of the monotone clock, which is the same for all
    /// processes of a machine.
    case begin(start: Int64, measured: Int64, end: Int64)
    /// Send no more.
    case stop
    /// Let slow readers catch up.
    case hurry
    /// How many bots have something under way, or no living socket?
    case busy
    /// By thread, the highest seq that was seen or acknowledged.
    case heads
    /// How many places of v1 bots have not been told of everything up to these seqs, by thread?
    case lagging(behind: [Int64])
    /// Where were read cursors moved to?
    case moves
    /// How much processor time has the process used, if it is the squad's own?
    case processTime
    /// End all sockets, and say what was seen.
    case end
    /// Let go of everything; the last order.
    case dissolve
}
