import AsyncHTTPClient
import NIOCore
import NIOHTTP1
package import ParleyModel

/// Attachments as objects of an S3-compatible storage.
///
/// - `attachments/<id>` is a finished file. Only the completion of a multipart upload creates it, even from a single
///   part, so that a late request cannot replace the verified bytes.
/// - `uploads/<id>/<received>` contains the end of an unfinished file that does not fill a part. The next request
///   removes earlier ones, so that an upload in many small pieces does not occupy a multiple of the file's size.
/// - Two concurrent requests that append to one upload damage only that upload: one of them advances the row, and S3
///   refuses to complete parts with other tags than the recorded ones.
package final class S3BlobStore: BlobStore {
    private let client: S3Client

    /// - Parameter timeLimit: maximum time for a request whose response is not a file.
    package init(_ settings: S3Settings, clock: WallClock = .system, timeLimit: Duration = .seconds(600)) {
        client = S3Client(settings, clock: clock, timeLimit: timeLimit)
    }

    package func append(to attachment: Attachment) async throws(BlobError) -> any BlobWriter {
        let upload = S3Upload(attachment.upload)
        let whole = Int64(upload.tags.count) * S3Upload.partSize(of: attachment)
        guard attachment.received >= whole else { throw .lost }
        var tail: [UInt8] = []
        // Rows only advance, so no row refers to an earlier tail again. Later tails may belong to a request that is not
        // recorded yet.
        if attachment.received > 0 { try? await removeTails(of: attachment, below: attachment.received) }
        if attachment.received > whole {
            let key = S3Upload.tail(of: attachment, received: attachment.received)
            let length = attachment.received - whole
            let reader = S3BlobReader(try await client.stream(S3Request(method: "GET", key: key)), count: length)
            while let bytes = try await reader.next() { tail += bytes }
        }
        return S3BlobWriter(client: client, attachment: attachment, upload: upload, tail: tail)
    }

    package func finish(_ attachment: Attachment) async throws(BlobError) {
        let (key, upload) = (S3Upload.key(of: attachment), S3Upload(attachment.upload))
        // An earlier call may have completed the upload.
        let known = try await client.call(S3Request(method: "HEAD", key: key), allowing: [404])
        if known.status == 404, let id = upload.id {
            let reply = try await client.call(
                S3Request(method: "POST", key: key, query: [("uploadId", id)], body: upload.completion))
            // Completion takes time, so an error may follow the status.
            guard XMLText.values(of: "Code", in: reply.bytes).isEmpty else {
                throw .unavailable("the storage cannot complete the upload")
            }
        } else if known.status == 404 || known.headers.first(name: "content-length") != "\(attachment.size)" {
            throw .lost
        }
        try await removeTails(of: attachment)
        try await abortUploads(of: attachment)
    }

    package func read(
        _ attachment: Attachment, _ range: Range<Int64>
    ) async throws(BlobError) -> any BlobReader {
        var request = S3Request(method: "GET", key: S3Upload.key(of: attachment))
        request.headers = [("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
        let response = try await client.stream(request)
        guard Self.isAnswer(response, to: range) else {
            throw .unavailable("the storage answered with another range than \(range)")
        }
        return S3BlobReader(response, count: Int64(range.count))
    }

    /// Whether the body contains the requested bytes. A storage, or a cache in front of it, may ignore the range.
    private static func isAnswer(_ head: HTTPClientResponse, to range: Range<Int64>) -> Bool {
        if let length = head.headers.first(name: "content-length"), length != "\(range.count)" { return false }
        guard head.status == .partialContent else { return range.lowerBound == 0 }
        let part = "bytes \(range.lowerBound)-\(range.upperBound - 1)/"
        return head.headers.first(name: "content-range")?.hasPrefix(part) == true
    }

    package func address(of attachment: Attachment, _ headers: BlobHeaders) -> String? {
        guard client.settings.redirects else { return nil }
        return client.address(
            of: S3Upload.key(of: attachment),
            query: [
                ("response-content-type", headers.contentType),
                ("response-content-disposition", headers.contentDisposition),
            ])
    }

    package func remove(_ attachment: Attachment) async throws(BlobError) {
        let key = S3Upload.key(of: attachment)
        try await abortUploads(of: attachment)
        try await removeTails(of: attachment)
        _ = try await client.call(S3Request(method: "DELETE", key: key), allowing: [404])
    }

    /// Aborts multipart uploads that were not completed, including those without a row: from a process that ended after
    /// it started one, or from a second concurrent request.
    private func abortUploads(of attachment: Attachment) async throws(BlobError) {
        let key = S3Upload.key(of: attachment)
        let reply = try await client.call(S3Request(method: "GET", query: [("uploads", ""), ("prefix", key)]))
        let found = zip(XMLText.values(of: "Key", in: reply.bytes), XMLText.values(of: "UploadId", in: reply.bytes))
        for (name, id) in found where name == key {
            _ = try await client.call(S3Request(method: "DELETE", key: key, query: [("uploadId", id)]), allowing: [404])
        }
    }

    private func removeTails(of attachment: Attachment, below end: Int64 = .max) async throws(BlobError) {
        let prefix = S3Upload.tails(of: attachment)
        while true {
            let reply = try await client.call(
                S3Request(method: "GET", query: [("list-type", "2"), ("prefix", prefix)]))
            let keys = XMLText.values(of: "Key", in: reply.bytes).filter { key in
                key.hasPrefix(prefix) && Int64(key.dropFirst(prefix.count)).map { $0 < end } == true
            }
            for key in keys { _ = try await client.call(S3Request(method: "DELETE", key: key), allowing: [404]) }
            // A page has a thousand keys.
            guard keys.count >= 1000 else { return }
        }
    }
}

/// Collects bytes until they fill a part.
private final class S3BlobWriter: BlobWriter {
    private let client: S3Client
    private let attachment: Attachment
    private let partSize: Int64
    private var upload: S3Upload
    /// The bytes after the complete parts, less than one part.
    private var tail: [UInt8]

    init(client: S3Client, attachment: Attachment, upload: S3Upload, tail: [UInt8]) {
        self.client = client
        self.attachment = attachment
        self.upload = upload
        self.tail = tail
        partSize = S3Upload.partSize(of: attachment)
    }

    private var whole: Int64 { Int64(upload.tags.count) * partSize }

    func write(_ bytes: [UInt8]) async throws(BlobError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int(partSize) - tail.count)
            tail += piece
            rest = rest.dropFirst(piece.count)
            // `save` sends the end of a file.
            if Int64(tail.count) == partSize, whole + partSize < attachment.size { try await sendPart() }
        }
    }

    func save(isLast: Bool) async throws(BlobError) -> BlobProgress {
        guard isLast else { return BlobProgress(received: whole, upload: upload.text) }
        let received = whole + Int64(tail.count)
        // A request without bytes writes nothing.
        guard received > attachment.received else { return BlobProgress(received: received, upload: upload.text) }
        if received == attachment.size {
            if !tail.isEmpty { try await sendPart() }
        } else if !tail.isEmpty {
            try await put(S3Upload.tail(of: attachment, received: received))
        }
        return BlobProgress(received: received, upload: upload.text)
    }

    func close() async {}

    private func put(_ key: String) async throws(BlobError) {
        var request = S3Request(method: "PUT", key: key, body: tail)
        request.headers = [("content-type", MediaType.binary)]
        _ = try await client.call(request)
    }

    private func sendPart() async throws(BlobError) {
        let key = S3Upload.key(of: attachment)
        if upload.id == nil {
            var request = S3Request(method: "POST", key: key, query: [("uploads", "")])
            request.headers = [("content-type", MediaType.binary)]
            let reply = try await client.call(request)
            guard let id = XMLText.values(of: "UploadId", in: reply.bytes).first, !id.contains("\n") else {
                throw .unavailable("the storage did not begin an upload")
            }
            upload.id = id
        }
        let query = [
            (name: "partNumber", value: "\(upload.tags.count + 1)"), (name: "uploadId", value: upload.id ?? ""),
        ]
        let reply = try await client.call(S3Request(method: "PUT", key: key, query: query, body: tail))
        guard let tag = reply.headers.first(name: "etag"), !tag.contains("\n") else {
            throw .unavailable("the storage did not tag a part")
        }
        upload.tags.append(tag)
        tail = []
    }
}

/// Reads the body of a response. Releasing the reader ends the request.
private final class S3BlobReader: BlobReader {
    private var body: HTTPClientResponse.Body.AsyncIterator?
    private var rest: Int64

    init(_ response: HTTPClientResponse, count: Int64) {
        body = response.body.makeAsyncIterator()
        rest = count
    }

    func next() async throws(BlobError) -> [UInt8]? {
        guard rest > 0 else { return nil }
        let next: ByteBuffer?
        do {
            next = try await body?.next()
        } catch {
            throw .unavailable("the storage did not send the whole file: \(error)")
        }
        guard let bytes = next else { throw .lost }
        guard bytes.readableBytes <= rest else { throw .unavailable("the storage sent more bytes than asked for") }
        rest -= Int64(bytes.readableBytes)
        return Array(bytes.readableBytesView)
    }

    func close() async {
        body = nil
    }
}
