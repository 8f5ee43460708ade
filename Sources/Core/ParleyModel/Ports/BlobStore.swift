/// The bytes of attachments, in a folder or in object storage.
///
/// A blob is uploaded in one or more requests, becomes readable when it is finished, and never changes afterwards. The caller
/// keeps the state of an unfinished upload with the row, as an opaque text (`Attachment.upload`).
package protocol BlobStore: Sendable {
    /// Opens an unfinished blob for appending at `attachment.received`. Later bytes, which an interrupted request wrote and did
    /// not record, are discarded.
    /// - Throws: `busy` if another request is appending to it.
    func append(to attachment: Attachment) async throws(BlobError) -> any BlobWriter

    /// Makes a blob readable once it has all bytes. Repeating the call has no effect.
    func finish(_ attachment: Attachment) async throws(BlobError)

    /// Reads bytes of a finished blob. A folder also reads a blob that has all bytes and is not finished.
    func read(_ attachment: Attachment, _ range: Range<Int64>) async throws(BlobError) -> any BlobReader

    /// A URL from which the client can download the blob for a short time; `nil` if the bytes must be read through this port.
    func address(of attachment: Attachment, _ headers: BlobHeaders) -> String?

    /// Removes a blob, finished or not. Repeating the call has no effect.
    func remove(_ attachment: Attachment) async throws(BlobError)
}

/// Appends to one blob; used by one task.
package protocol BlobWriter: AnyObject {
    func write(_ bytes: [UInt8]) async throws(BlobError)

    /// Puts bytes on durable storage.
    /// - Parameter isLast: Whether no more bytes follow in this request. Otherwise some may stay in memory.
    func save(isLast: Bool) async throws(BlobError) -> BlobProgress

    /// Ends the use of the writer, whether or not everything was saved.
    func close() async
}

/// The part of a blob that is on durable storage.
package struct BlobProgress: Hashable, Sendable {
    package var received: Int64
    /// See `Attachment.upload`.
    package var upload: String?

    package init(received: Int64, upload: String? = nil) {
        self.received = received
        self.upload = upload
    }
}

/// Reads a range of one blob; used by one task.
package protocol BlobReader: AnyObject {
    /// Returns the next bytes, at most some ten thousand; `nil` at the end of the range.
    func next() async throws(BlobError) -> [UInt8]?

    func close() async
}

/// The headers that another server sends with a blob.
package struct BlobHeaders: Hashable, Sendable {
    package var contentType: String
    package var contentDisposition: String

    package init(contentType: String, contentDisposition: String) {
        self.contentType = contentType
        self.contentDisposition = contentDisposition
    }
}

/// The reason that the bytes of an attachment could not be read or written.
package enum BlobError: Error, Hashable, Sendable {
    /// The storage is unreachable, full or overloaded. The same call may succeed later.
    case unavailable(String)
    /// Another request is appending to the blob.
    case busy
    /// The blob does not exist or has fewer bytes than recorded, since the storage has lost it.
    case lost
}
