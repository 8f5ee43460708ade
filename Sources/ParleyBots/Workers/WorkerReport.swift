/// The reply of a worker.
enum WorkerReport: Codable, Sendable {
    case done
    case count(Int)
    case sample(Sample)
    case figures(Figures)
    case heads([Int64])
    case moves([ReadMoves])
    case seconds(Double)
    case checkers([Checker])
    /// The command failed.
    case failed(String)
}
