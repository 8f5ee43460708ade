package import ParleyModel

/// Decides about uses of attachments by messages that the database does not have: only the log knows whether they were
/// accepted. Stateless, callable from anywhere.
///
/// A use counts if the log has its message, and ends if the log has not and never will: its send was refused, its socket
/// was closed, its process killed, or the log lost it.
package struct UnstoredUses: Sendable {
    private let store: any AttachmentStore
    private let log: any MessageLog
    private let finder: MessageFinder
    private let sends: any SendMemory

    /// - Parameters:
    ///   - log: the log that messages are appended to.
    ///   - sends: of the same log.
    package init(
        store: any AttachmentStore, messages: any MessageStore, log: any MessageLog, sends: any SendMemory
    ) {
        self.store = store
        self.log = log
        self.sends = sends
        finder = MessageFinder(log: log, store: messages)
    }

    /// The host of the log that decides about a use; see `MessageLog.host(of:)`.
    package func host(of use: AttachmentUse) -> Int { log.host(of: use.thread) }

    /// Whether the message of a use is accepted, and neither deleted nor erased.
    /// - Throws: `unavailable` also if that cannot be decided at the moment.
    package func counts(_ use: AttachmentUse) async throws(StoreError) -> Bool {
        try await finder.find(use.message, in: use.thread)?.isGone == false
    }

    /// Ends a use whose message was not accepted. The message is withdrawn first, so that a delayed append is refused.
    /// - Parameter due: when the attachments are due, if nothing else uses them.
    /// - Returns: whether the use has ended.
    /// - Throws: `unavailable` if that cannot be decided at the moment.
    package func endIfLost(_ use: AttachmentUse, due: Int64) async throws(StoreError) -> Bool {
        // A message that waits to be stored is found without a withdrawal, which would be kept for an hour.
        guard try await finder.find(use.message, in: use.thread) == nil else { return false }
        do {
            try await sends.withdraw(use.message, from: use.thread)
        } catch {
            throw .unavailable("the message could not be withdrawn: \(error)")
        }
        // It may have been appended before.
        guard try await finder.find(use.message, in: use.thread) == nil else { return false }
        try await store.forgetUses(use, due: due)
        return true
    }
}
