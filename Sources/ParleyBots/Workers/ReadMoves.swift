/// The possible positions of a bot's read cursor in a thread at the end.
struct ReadMoves: Codable, Hashable, Sendable {
    let bot: Int
    let thread: Int
    let seqs: Set<Int64>
    /// The server has acknowledged one of the moves.
    let isCertain: Bool
}
