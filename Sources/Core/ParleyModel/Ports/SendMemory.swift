/// A log's memory of sends besides their events: the names under which they were made, and the ones it no longer
/// accepts.
package protocol SendMemory: Sendable {
    /// Decides that a message is not appended from now on, unless the log has it already: appends of it that are on
    /// their way, or that a node still holds back, are refused. Lasts for an hour, longer than any append is tried.
    ///
    /// Only for messages that refer to attachments: appends of others are not checked. Idempotent.
    /// - Throws: `unavailable` if the log cannot be reached, or is just accepting the message.
    func withdraw(_ message: MessageID, from thread: ThreadID) async throws(AppendError)

    /// Forgets that an erased user has sent something under these `client_id`s: no one sends as this user again, so
    /// nothing can be a repeat. Idempotent.
    /// - Parameter clientIDs: at most some thousand.
    func forget(_ clientIDs: [String], of user: UserID) async throws(AppendError)
}
