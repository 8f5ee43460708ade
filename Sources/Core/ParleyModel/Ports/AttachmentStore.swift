/// The rows of attachments and of the messages that refer to them. `BlobStore` has the bytes.
///
/// - A **use** is a message that refers to an attachment. It is recorded before the message is appended, and prevents the
///   removal of the attachment. Until the message is stored, the log decides whether the use counts (`UnstoredUses` of
///   ParleyMessaging). The transaction that stores the message confirms the use. Anything that removes a message's parts (its
///   deletion, the erasure of its author, the deletion of its thread) removes its uses in the same transaction, in every
///   version of Parley. The database does both with triggers.
/// - The picture of a room is a use without a message (`AttachmentUse.picture(of:)`). `StateStore.setRoom` sets and ends it, and
///   the deletion of the room ends it.
/// - An attachment is **due** when it may be removed: it has no use at its `due` date, or its owner was erased. `claimRemovals`
///   decides this under a lock that `use` also takes.
package protocol AttachmentStore: Sendable {
    // MARK: Uploads

    /// Adds an attachment unless it would exceed the owner's quota. Concurrent calls are counted one after another.
    /// - Parameter due: The time at which the attachment may be removed if no message refers to it, in Unix milliseconds.
    /// - Returns: The usage without the new attachment; `nil` if the owner is unknown or erased.
    func addAttachment(_ attachment: Attachment, within quota: AttachmentQuota, due: Int64) async throws(StoreError)
        -> (isAdded: Bool, usage: AttachmentUsage)?

    /// The attachment; `nil` if it is unknown or being removed, or its owner is erased.
    func attachment(_ id: AttachmentID) async throws(StoreError) -> Attachment?

    /// The attachment, if the user is its owner or a member of a thread with a confirmed use of it, or if it is its owner's
    /// picture (`Profile.avatar`) or that of a public room; `nil` otherwise.
    func attachment(_ id: AttachmentID, readableBy user: UserID) async throws(StoreError) -> Attachment?

    /// The unconfirmed uses of an attachment in threads that the user belongs to, or will belong to through the message. The
    /// user may read the attachment if the log has one of the messages. Returns the newest uses, at most
    /// `AttachmentUse.unstoredLimit`.
    func unconfirmedUses(of id: AttachmentID, readableBy user: UserID) async throws(StoreError) -> [AttachmentUse]

    /// Records the part of an upload that is on durable storage.
    /// - Parameter received: The number of bytes before the change. Another request may have changed it.
    /// - Returns: Whether the row was as expected, and the attachment is neither complete nor being removed.
    func advanceUpload(
        of id: AttachmentID, from received: Int64, to newReceived: Int64, upload: String?, due: Int64
    ) async throws(StoreError) -> Bool

    /// Marks an upload as complete.
    /// - Returns: Whether the upload was incomplete, had received all bytes, and was not being removed.
    func completeUpload(
        of id: AttachmentID, sha256: String, dimensions: ImageDimensions?, due: Int64
    ) async throws(StoreError) -> Bool

    func attachmentUsage(of user: UserID) async throws(StoreError) -> AttachmentUsage

    // MARK: Uses

    /// Records that a message refers to attachments of its sender. Records none if one of them is unknown, incomplete, being
    /// removed, or another user's.
    /// - Parameter recipient: The other user of a direct thread. They may download the files once the message is accepted, even
    ///   before it makes them a member.
    /// - Returns: The attachments that can be used.
    func useAttachments(
        _ ids: [AttachmentID], of owner: UserID, in use: AttachmentUse, recipient: UserID?, at milliseconds: Int64
    ) async throws(StoreError) -> [AttachmentID: Attachment]

    /// Removes the uses of a message that was not appended and never will be. Confirmed uses remain.
    /// - Parameter due: The time at which the attachments become due if nothing else uses them.
    func forgetUses(_ use: AttachmentUse, due: Int64) async throws(StoreError)

    // MARK: Removal

    /// Makes an attachment due at once if it belongs to the user, no message refers to it, and it is not the user's picture.
    /// - Returns: Whether the attachment is now due; `nil` if the user has no such attachment.
    func discardAttachment(_ id: AttachmentID, of owner: UserID) async throws(StoreError) -> Bool?

    /// Checks the unconfirmed uses whose check is due: `AttachmentUse.checkMilliseconds` after they were recorded, and after
    /// each check. Confirms the uses of stored messages, and removes uses in deleted rooms.
    /// - Parameter limit: The maximum number of uses.
    /// - Returns: The number of checked uses, and the remaining uses, which the log decides about.
    func checkUses(at milliseconds: Int64, limit: Int) async throws(StoreError) -> CheckedUses

    /// Claims due attachments without uses for removal, for `AttachmentUse.leaseMilliseconds`. After the first claim no user
    /// can read or use them.
    func claimRemovals(at milliseconds: Int64, limit: Int) async throws(StoreError) -> [Attachment]

    /// Deletes the rows of claimed attachments once their bytes are gone. Rooms whose picture they are lose it.
    func removedAttachments(_ ids: [AttachmentID]) async throws(StoreError)
}

/// A message that refers to attachments.
package struct AttachmentUse: Hashable, Sendable {
    /// The duration of a claim by `AttachmentStore.claimRemovals`.
    package static let leaseMilliseconds: Int64 = 60_000
    /// The time during which the attachments of a refused message can be sent again.
    package static let retryMilliseconds: Int64 = 3_600_000
    /// The interval at which a use is checked until its message is stored. It exceeds the duration of nearly every append,
    /// since an append that is still in progress at the check is refused.
    package static let checkMilliseconds: Int64 = 10_000
    /// The maximum number of uses without a stored message that are looked up in the log for one download.
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
    /// The uses whose messages are not stored, without duplicates.
    package var unconfirmed: Set<AttachmentUse>

    package init(count: Int, unconfirmed: Set<AttachmentUse>) {
        self.count = count
        self.unconfirmed = unconfirmed
    }
}
