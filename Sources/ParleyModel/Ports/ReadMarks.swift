/// Takes note that a user has read a thread; a socket's way to move a read cursor without waiting for the store.
package protocol ReadMarks: Sendable {
    /// Moves the read cursor of `user`; never blocks.
    ///
    /// Of the marks of one user and thread that wait at the same time only the last counts.
    /// - Parameters:
    ///   - seq: up to where, back too; `nil`: to the end of what is stored of `thread`.
    ///   - milliseconds: when the mark was made, Unix: one that was made earlier and comes later does not undo it.
    ///   - completion: called once, on any thread: with `true` when the mark cannot be lost any more, or another one
    ///     that came later in its place; with `false` if it may be, because too many wait or a backend is away.
    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, madeAt milliseconds: Int64,
        completion: @escaping @Sendable (Bool) -> Void)
}
