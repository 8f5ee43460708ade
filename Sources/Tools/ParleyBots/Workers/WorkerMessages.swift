/// A command from the load generator to a worker.
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
    case readAtFullSpeed
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
    case tearDown
}

/// The reply of a worker to a command.
enum WorkerReport: Codable, Sendable {
    case done
    case count(Int)
    case sample(Sample)
    case figures(Figures)
    case heads([Int64])
    case moves([ReadMoves])
    case seconds(Double)
    case checkers([Checker])
    /// The command could not be carried out.
    case failed(String)
}

/// The share of the bots that a worker runs, and the cluster they connect to.
struct WorkerTask: Codable, Hashable, Sendable {
    var plan: LoadPlan
    var urls: [String]
    var apiKey: String
    var isLenient: Bool
    /// The prefix of all ids of the run.
    var run: String
    /// The session of each bot, by bot number; empty if bots use the API key.
    var sessions: [String]
    /// This worker among all, from 0 on, and how many there are.
    var number: Int
    var count: Int

    /// The population, which is the same in every process for a plan and a run.
    func makeWorld() -> Population { Population(plan, run: run) }
}

/// The possible positions of a bot's read cursor in a thread at the end.
struct ReadMoves: Codable, Hashable, Sendable {
    let bot: Int
    let thread: Int
    let seqs: Set<Int64>
    /// The server has acknowledged one of the moves.
    let isCertain: Bool
}

/// A part of the bots, in this process or in another one.
protocol LoadWorker: Sendable {
    /// Commands are carried out one after the other, in the order of the calls.
    /// - Throws: `LoadGeneratorError` if the worker is gone.
    func carryOut(_ command: WorkerCommand) async throws -> WorkerReport
}
