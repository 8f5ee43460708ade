/// Takes note that a user has read a thread; a socket's way to move a read cursor without waiting for the store.
package protocol ReadMarks: Sendable {
    /// Moves the read cursor of `user` to the end of what is stored of `thread`; never blocks.
    ///
    /// Marks of one user and thread that wait at the same time become one. When too many wait the mark is dropped:
    /// the next one makes up for it.
    func markRead(_ thread: ThreadID, by user: UserID)
}
