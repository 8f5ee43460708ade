/// A share of the load generator's bots, in this process or in another one.
protocol LoadWorker: Sendable {
    /// Carries out a command; commands are carried out one after the other, in the order of the calls.
    /// - Throws: `LoadGeneratorError` if the worker has ended.
    func carryOut(_ order: WorkerCommand) async throws -> WorkerReport
}
