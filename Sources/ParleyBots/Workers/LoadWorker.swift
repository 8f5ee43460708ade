/// A part of a fleet's bots: those of this process, or of another one.
protocol LoadWorker: Sendable {
    /// Orders are carried out one after the other, in the order of the calls.
    /// - Throws: `LoadGeneratorError` if the squad is gone.
    func carryOut(_ order: WorkerCommand) async throws -> WorkerReport
}
