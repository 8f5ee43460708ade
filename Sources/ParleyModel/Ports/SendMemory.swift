/// What a log keeps of sends besides their events: which messages it no longer accepts.
package protocol SendMemory: Sendable {
    /// Decides that a message is not appended from now on, unless the log has it already: appends of it that are on
    /// their way, or that a node still holds back, are refused. Lasts for an hour, longer than any append is tried.
    ///
    /// Only for messages that refer to attachments: appends of others are not checked. Idempotent.
    /// - Throws: `unavailable` if the log cannot be reached, or is just accepting the message.
    func withdraw(_ message: MessageID, from thread: ThreadID) async throws(AppendError)
}
