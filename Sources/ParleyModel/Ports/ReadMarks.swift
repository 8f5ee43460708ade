/// Accepts read marks; moves a read cursor for a socket without waiting for the store.
package protocol ReadMarks: Sendable {
    /// Moves the read cursor of `user`; never blocks.
    ///
    /// Of the marks of one user and thread that wait at the same time, only the last counts.
    /// - Parameters:
    ///   - seq: the new cursor, which may be lower than the present one; `nil` for the end of what is stored of
    ///     `thread`.
    ///   - milliseconds: when the mark was made, Unix; an older mark that arrives later does not undo a newer one.
    ///   - completion: called once, on any thread: with `true` when this mark, or a later one that replaced it, is
    ///     durable; with `false` if it may be lost, because the queue is full or a backend is unavailable.
    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, madeAt milliseconds: Int64,
        completion: @escaping @Sendable (Bool) -> Void)
}
