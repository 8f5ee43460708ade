/// The bots of one worker, and their target.
struct WorkerTask: Codable, Hashable, Sendable {
    var plan: LoadPlan
    var urls: [String]
    var apiKey: String
    var isLenient: Bool
    /// The prefix of all ids of the run.
    var run: String
    /// The session of each bot, by bot number; empty if bots use the API key.
    var sessions: [String]
    /// The index of this worker, from 0, and the number of workers.
    var number: Int
    var count: Int

    /// The population, which is the same in every process for a plan and a run.
    func makeWorld() -> Population { Population(plan, run: run) }
}
