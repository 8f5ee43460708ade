/// The rows of attachments and of the messages that refer to them. The bytes are in a `BlobStore`.
///
/// - A **use** is a message that refers to an attachment. It is written before the message is appended, and keeps the
///   attachment from being removed. While the message is not stored, the log decides whether it counts (`UnstoredUses`
///   of ParleyMessaging); the transaction that stores the message confirms it. Whatever removes a message's parts (its
///   deletion, the erasure of its author, the deletion of its thread) removes its uses in the same transaction, in
///   every version of Parley: the database does both by triggers.
/// - An attachment is **due** when it may be removed: without a use at its `due` date, or because its owner was erased.
///   `claimRemovals` decides that under a lock that `use` takes too.
package protocol AttachmentStore: Sendable {
    // MARK: Uploads

    /// Adds an attachment, unless that would exceed the owner's quota; concurrent calls are counted one by one.
    /// - Parameter due: when it may be removed if no message refers to it by then, in Unix milliseconds.
    /// - Returns: the usage without the new attachment; `nil` if the owner is unknown or erased.
    func addAttachment(_ attachment: Attachment, within quota: AttachmentQuota, due: Int64) async throws(StoreError)
        -> (isAdded: Bool, usage: AttachmentUsage)?

    /// The attachment; `nil` if it is unknown, being removed, or its owner is erased.
    func attachment(_ id: AttachmentID) async throws(StoreError) -> Attachment?

    /// As `attachment`, if the user is its owner, or is a member of a thread with a confirmed use of it, or if it is its
    /// owner's picture (`Profile.avatar`).
    func attachment(_ id: AttachmentID, readableBy user: UserID) async throws(StoreError) -> Attachment?

    /// The unconfirmed uses of an attachment in threads that the user is a member of, or will be with the message: the
    /// user may read it if the log has one of the messages. The newest ones, at most `AttachmentUse.unstoredLimit`.
    func unconfirmedUses(of id: AttachmentID, readableBy user: UserID) async throws(StoreError) -> [AttachmentUse]

    /// Records the part of an upload that is on durable storage.
    /// - Parameter received: the number of bytes before; another request may have changed it.
    /// - Returns: whether the row was as expected, and the attachment is neither complete nor being removed.
    func advanceUpload(
        of id: AttachmentID, from received: Int64, to newReceived: Int64, upload: String?, due: Int64
    ) async throws(StoreError) -> Bool

    /// Marks an upload as complete.
    /// - Returns: whether it was incomplete, with all bytes received, and is not being removed.
    func completeUpload(
        of id: AttachmentID, sha256: String, dimensions: ImageDimensions?, due: Int64
    ) async throws(StoreError) -> Bool

    func attachmentUsage(of user: UserID) async throws(StoreError) -> AttachmentUsage

    // MARK: Uses

    /// Records that a message refers to attachments of its sender: all or, if one of them is unknown, incomplete, being
    /// removed or another user's, none.
    /// - Parameter recipient: the other user of a direct thread, who may download before the message has made them a
    ///   member, once it is accepted.
    /// - Returns: the attachments that can be used.
    func useAttachments(
        _ ids: [AttachmentID], of owner: UserID, in use: AttachmentUse, recipient: UserID?, at milliseconds: Int64
    ) async throws(StoreError) -> [AttachmentID: Attachment]

    /// Removes the uses of a message that was not appended and never will be. Confirmed ones stay.
    /// - Parameter due: when the attachments are due, if nothing else uses them.
    func forgetUses(_ use: AttachmentUse, due: Int64) async throws(StoreError)

    // MARK: Removal

    /// Makes an attachment due at once, if it belongs to the user, no message refers to it, and it is not the user's
    /// picture.
    /// - Returns: whether it is now due; `nil` if the user has no such attachment.
    func discardAttachment(_ id: AttachmentID, of owner: UserID) async throws(StoreError) -> Bool?

    /// Checks unconfirmed uses that are due for it: `AttachmentUse.checkMilliseconds` after they were made, and after
    /// each check. Confirms the uses of stored messages, and removes uses in rooms that were deleted.
    /// - Parameter limit: the maximum number of uses.
    /// - Returns: the number of checked uses, and the uses that are left: the log decides about them.
    func checkUses(at milliseconds: Int64, limit: Int) async throws(StoreError) -> CheckedUses

    /// Claims due attachments that nothing uses for removal, for `AttachmentUse.leaseMilliseconds`. From the first
    /// claim on no user can read or use them.
    func claimRemovals(at milliseconds: Int64, limit: Int) async throws(StoreError) -> [Attachment]

    /// Deletes the rows of claimed attachments, whose bytes are gone.
    func removedAttachments(_ ids: [AttachmentID]) async throws(StoreError)
}

/// A message that refers to attachments.
package struct AttachmentUse: Hashable, Sendable {
    /// The duration of a claim of `AttachmentStore.claimRemovals`.
    package static let leaseMilliseconds: Int64 = 60_000
    /// The time that the attachments of a refused message may be sent again.
    package static let retryMilliseconds: Int64 = 3_600_000
    /// When a use is first checked, and how often until its message is stored. Longer than nearly every append takes,
    /// since one that is still on its way by then is refused.
    package static let checkMilliseconds: Int64 = 10_000
    /// The number of uses without a stored message that are looked for in the log when a file is downloaded.
    package static let unstoredLimit = 8

    package let thread: ThreadID
    package let message: MessageID

    package init(thread: ThreadID, message: MessageID) {
        self.thread = thread
        self.message = message
    }
}

/// The result of `AttachmentStore.checkUses`.
package struct CheckedUses: Hashable, Sendable {
    package var count: Int
    /// Uses whose messages are not stored, each once.
    package var unconfirmed: Set<AttachmentUse>

    package init(count: Int, unconfirmed: Set<AttachmentUse>) {
        self.count = count
        self.unconfirmed = unconfirmed
    }
}
