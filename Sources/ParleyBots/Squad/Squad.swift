/// A part of a fleet's bots: those of this process, or of another one.
protocol Squad: Sendable {
    /// Orders are carried out one after the other, in the order of the calls.
    /// - Throws: `FleetFailure` if the squad is gone.
    func carryOut(_ order: SquadOrder) async throws -> SquadReport
}
