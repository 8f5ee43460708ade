/// The bytes of attachments, in a folder or in an object storage.
///
/// A blob is uploaded in one or several requests, becomes readable when it is finished, and then never changes. What
/// the store must remember of an unfinished upload is a text that the caller keeps with the row (`Attachment.upload`).
package protocol BlobStore: Sendable {
    /// Opens an unfinished blob for appending at `attachment.received`; bytes after it, of a request that was cut off
    /// before it recorded them, are dropped.
    /// - Throws: `busy` if another request is appending to it.
    func append(to attachment: Attachment) async throws(BlobError) -> any BlobWriter

    /// Makes a blob readable that has all its bytes. A repeat does nothing.
    func finish(_ attachment: Attachment) async throws(BlobError)

    /// Reads bytes of a finished blob, or of one in a folder that has all its bytes.
    func read(_ attachment: Attachment, _ range: Range<Int64>) async throws(BlobError) -> any BlobReader

    /// An address from which the client can download the blob for a short time; `nil` if it must be read here.
    func address(of attachment: Attachment, _ headers: BlobHeaders) -> String?

    /// Removes the blob, finished or not. A repeat does nothing.
    func remove(_ attachment: Attachment) async throws(BlobError)
}

/// Appends to one blob; used by one task.
package protocol BlobWriter: AnyObject {
    func write(_ bytes: [UInt8]) async throws(BlobError)

    /// Puts bytes on durable storage.
    /// - Parameter isLast: no more bytes follow in this request; otherwise some may stay in memory.
    func save(isLast: Bool) async throws(BlobError) -> BlobProgress

    /// Ends the use of the writer, saved or not.
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
    /// The next bytes, at most some ten thousand; `nil` at the end of the range.
    func next() async throws(BlobError) -> [UInt8]?

    func close() async
}

/// The headers with which another server answers for a blob.
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
    /// The storage cannot be reached, is full or too busy; the same call may succeed later.
    case unavailable(String)
    /// Another request is appending to the blob.
    case busy
    /// There is no such blob, or fewer bytes than were recorded: the storage has lost it.
    case lost
}
