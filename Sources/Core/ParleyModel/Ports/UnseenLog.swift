/// The messages that their recipients have not seen, as rows of the stream of stored events (`RowLane.unseen`).
///
/// An event whose message was deleted, or whose author was erased, is no longer shown. An erasure of the recipient removes the
/// rows of the user in the same transaction.
package protocol UnseenLog: Sendable {
    /// Adds rows, in one transaction. A user who has a row of the same or a later message of the thread gets none, so that a
    /// repetition adds nothing, and neither do users who are unknown, erased or suspended.
    /// - Parameter messages: At most `PushDevice.mostUsers`, and one for each user and thread; further ones are left out.
    /// - Returns: The rows that were added.
    func addUnseen(_ messages: [UnseenMessage]) async throws(StoreError) -> Set<UnseenMessage.ID>

    /// Returns a row; `nil` if there is none, or it is no longer shown.
    func unseenMessage(_ id: UnseenMessage.ID) async throws(StoreError) -> UnseenMessage?

    /// Deletes rows older than an instant, oldest first.
    /// - Parameters:
    ///   - milliseconds: The instant in Unix milliseconds.
    ///   - limit: The maximum number of deleted rows.
    /// - Returns: The number of deleted rows.
    func pruneUnseen(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int
}
