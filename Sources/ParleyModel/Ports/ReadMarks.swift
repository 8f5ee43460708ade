/// Takes note that a user has read a thread; a socket's way to move a read cursor without waiting for the store.
package protocol ReadMarks: Sendable {
    /// Moves the read cursor of `user`; never blocks.
    ///
    /// Of the marks of one user and thread that wait at the same time only the last counts.
    /// - Parameter seq: up to where, back too; `nil`: to the end of what is stored of `thread`.
    /// - Returns: `false` if too many wait, so that this one was dropped.
    @discardableResult
    func markRead(_ thread: ThreadID, by user: UserID, through seq: Int64?) -> Bool
}
