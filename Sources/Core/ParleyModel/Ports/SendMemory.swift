/// A log's memory of sends apart from their events: the names under which they were made, and the messages that it no longer accepts.
package protocol SendMemory: Sendable {
    /// Decides that a message will not be appended, unless the log already has it. Appends of it that are in progress, or that
    /// a node still holds back, are refused. The decision lasts for an hour, which is longer than any append is retried.
    ///
    /// Only for messages that refer to attachments; other appends are not checked. Idempotent.
    /// - Throws: `unavailable` if the log cannot be reached, or is accepting the message at this moment.
    func withdraw(_ message: MessageID, from thread: ThreadID) async throws(AppendError)

    /// Forgets that an erased user sent messages under these `client_id`s. No one sends as this user again, so none of them can
    /// be repeated. Idempotent.
    /// - Parameter clientIDs: At most a few thousand.
    func forget(_ clientIDs: [String], of user: UserID) async throws(AppendError)
}
