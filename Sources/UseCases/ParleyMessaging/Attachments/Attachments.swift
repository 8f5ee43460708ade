package import Logging
package import ParleyModel

/// The services of uploads and downloads. `Messaging.attach` handles the use of files by messages.
///
/// An upload is declared first. Its bytes then arrive in one or more requests, and each request continues at the offset in
/// the row. The row never promises more bytes than are on durable storage, so an upload survives the process.
package struct Attachments: Sendable {
    let settings: AttachmentSettings
    let store: any AttachmentStore
    let blobs: any BlobStore
    let uses: UnstoredUses
    let clock: WallClock
    let logger: Logger

    package init(
        settings: AttachmentSettings, store: any AttachmentStore, blobs: any BlobStore, uses: UnstoredUses,
        clock: WallClock, logger: Logger
    ) {
        self.settings = settings
        self.store = store
        self.blobs = blobs
        self.uses = uses
        self.clock = clock
        self.logger = logger
    }

    /// Returns a file that the user has uploaded, or that another user has sent them.
    /// - Parameter firstSeq: Returns the seq of the first event of a thread that the user sees.
    func attachment(
        _ id: AttachmentID, readableBy user: UserID, from firstSeq: (ThreadID) async throws(StoreError) -> Int64
    ) async throws(StoreError) -> Attachment? {
        if let found = try await store.attachment(id, readableBy: user) { return found }
        // The file may have just been sent: receivers of a live message can read its files before the message is stored.
        var failure: StoreError?
        for use in try await store.unconfirmedUses(of: id, readableBy: user) {
            do throws(StoreError) {
                guard let seq = try await uses.seq(of: use) else { continue }
                if seq >= (try await firstSeq(use.thread)) { return try await store.attachment(id) }
            } catch {
                // Another use may count, in a thread whose host is reachable.
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    // MARK: Errors

    static let unknown = MessagingError.notFound("no such attachment")

    /// Runs a store operation. The texts of database errors go to the log, not to the client.
    func stored<Value>(_ body: () async throws -> Value) async throws(MessagingError) -> Value {
        do {
            return try await body()
        } catch {
            logger.warning("database is unavailable for an attachment", metadata: ["error": "\(error)"])
            throw MessagingError(error)
        }
    }

    func failure(_ error: BlobError, of attachment: Attachment) -> MessagingError {
        switch error {
        case .busy: return .conflict("another request is uploading this attachment; try again later")
        case .lost:
            logger.error("bytes of an attachment are lost", metadata: ["attachment": "\(attachment.id)"])
            return Self.unknown
        case .unavailable(let reason):
            logger.warning(
                "storage of attachments is unavailable",
                metadata: ["attachment": "\(attachment.id)", "reason": "\(reason)"])
            return .unavailable("the storage of attachments is unavailable or full")
        }
    }
}
