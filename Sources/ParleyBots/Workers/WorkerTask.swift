/// Which bots of which fleet a squad has, and where they go.
struct WorkerTask: Codable, Hashable, Sendable {
    var plan: LoadPlan
    var urls: [String]
    var apiKey: String
    var isLenient: Bool
    /// What all ids of the run begin with.
    var run: String
    /// By number of the bot, its session; empty if bots come with the API key.
    var sessions: [String]
    /// This squad among all of the fleet, from 0 on, and how many there are.
    var number: Int
    var count: Int

    /// Of a plan and a run everybody makes the same world.
    func makeWorld() -> Population { Population(plan, run: run) }
}
