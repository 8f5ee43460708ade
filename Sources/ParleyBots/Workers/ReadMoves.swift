/// Where a bot has moved its read cursor of a thread to, as far as that matters at the end.
struct ReadMoves: Codable, Hashable, Sendable {
    let bot: Int
    let thread: Int
    let seqs: Set<Int64>
    /// The server has acknowledged one of them.
    let isCertain: Bool
}
