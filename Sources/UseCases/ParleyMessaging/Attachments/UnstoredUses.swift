package import ParleyModel

/// Decides about uses of attachments by messages that the database does not have. Only the log knows whether these were
/// accepted. Has no state, and may be used from any thread.
///
/// A use counts if the log has its message. It ends if the log does not have the message and never will, because the send was
/// refused, its socket was closed, its process was killed, or the log lost the message.
package struct UnstoredUses: Sendable {
    private let store: any AttachmentStore
    private let log: any MessageLog
    private let finder: MessageFinder
    private let sends: any SendMemory

    /// - Parameters:
    ///   - log: The log that messages are appended to.
    ///   - sends: The memory of the same log.
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

    /// Returns the seq of the message of a use; `nil` if it was not accepted, or was deleted or erased.
    /// - Throws: `unavailable`, also if this cannot be decided now.
    package func seq(of use: AttachmentUse) async throws(StoreError) -> Int64? {
        try await finder.find(use.message, in: use.thread).flatMap { $0.isGone ? nil : $0.seq }
    }

    /// Ends a use whose message was not accepted. The message is withdrawn first, so that a delayed append is refused.
    /// - Parameter due: The time at which the attachments become due if nothing else uses them.
    /// - Returns: Whether the use has ended.
    /// - Throws: `unavailable` if this cannot be decided now.
    package func endIfLost(_ use: AttachmentUse, due: Int64) async throws(StoreError) -> Bool {
        // A message that waits to be stored is found first, without a withdrawal, which would be kept for an hour.
        guard try await finder.find(use.message, in: use.thread) == nil else { return false }
        do {
            try await sends.withdraw(use.message, from: use.thread)
        } catch {
            throw .unavailable("the message could not be withdrawn: \(error)")
        }
        // The message may have been appended before the withdrawal.
        guard try await finder.find(use.message, in: use.thread) == nil else { return false }
        try await store.forgetUses(use, due: due)
        return true
    }
}
