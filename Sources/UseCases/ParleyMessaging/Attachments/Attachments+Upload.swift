import Crypto
import ParleyModel

/// The reception of a file's bytes.
extension Attachments {
    /// The maximum number of bytes received before they are put on durable storage and recorded.
    private static let savedAtOnce: Int64 = 4_194_304

    /// Appends bytes to an upload, and completes the upload with the last byte. If the bytes are cut off, those received so far are kept.
    /// - Parameters:
    ///   - attachment: An incomplete attachment of the caller. The bytes begin at its `received`.
    ///   - next: Returns the next bytes; `nil` at the end.
    /// - Returns: The attachment, which is complete if it has all bytes.
    /// - Throws: `conflict` if another request has changed the upload; `tooLarge` if there are more bytes than declared;
    ///   `invalid` if the file does not match its declaration (it is then removed); errors of `next`.
    func append(
        to attachment: Attachment, _ next: () async throws -> [UInt8]?
    ) async throws -> Attachment {
        var upload = attachment
        var sum: SHA256? = attachment.received == 0 ? SHA256() : nil
        if upload.received < upload.size {
            let writer: any BlobWriter
            do {
                writer = try await blobs.append(to: attachment)
            } catch {
                // If another request has continued or finished the upload in the meantime, the upload is not lost.
                if error == .lost { try await requireUnchanged(upload) }
                throw failure(error, of: attachment)
            }
            do {
                // The row was read before the upload was locked, so it may be outdated.
                try await requireUnchanged(upload)
                try await receive(next, into: writer, &upload, &sum)
                await writer.close()
            } catch {
                await writer.close()
                throw (error as? BlobError).map { failure($0, of: attachment) } ?? error
            }
        } else if try await next()?.isEmpty == false {
            throw Self.tooMany(upload)
        }
        guard upload.received == upload.size else { return upload }
        return try await complete(upload, sum: sum.map { Hex.encode($0.finalize()) })
    }

    private func requireUnchanged(_ upload: Attachment) async throws(MessagingError) {
        let row = try await stored { try await store.attachment(upload.id) }
        guard let row, !row.isComplete, row.received == upload.received else { throw Self.overtaken }
    }

    private static let overtaken = MessagingError.conflict("the upload was continued or ended by another request")

    private static func tooMany(_ upload: Attachment) -> MessagingError {
        .tooLarge("there are more bytes than the \(upload.size) that were declared")
    }

    private func receive(
        _ next: () async throws -> [UInt8]?, into writer: any BlobWriter, _ upload: inout Attachment,
        _ sum: inout SHA256?
    ) async throws {
        var end = upload.received
        do {
            while let bytes = try await next() {
                guard Int64(bytes.count) <= upload.size - end else { throw Self.tooMany(upload) }
                try await writer.write(bytes)
                sum?.update(data: bytes)
                end += Int64(bytes.count)
                if end - upload.received >= Self.savedAtOnce { try await save(writer, &upload, isLast: false) }
            }
        } catch {
            // The bytes received so far are valid, and the client continues after them.
            if end > upload.received { try? await save(writer, &upload, isLast: true) }
            throw error
        }
        try await save(writer, &upload, isLast: true)
    }

    private func save(_ writer: any BlobWriter, _ upload: inout Attachment, isLast: Bool) async throws {
        let progress = try await writer.save(isLast: isLast)
        // Object storage may have fewer bytes than were recorded, since bytes that do not fill a part stay in memory.
        guard progress.received > upload.received else { return }
        let (id, before, due) = (upload.id, upload.received, clock.milliseconds + settings.orphanMilliseconds)
        let isRecorded = try await stored {
            try await store.advanceUpload(
                of: id, from: before, to: progress.received, upload: progress.upload, due: due)
        }
        guard isRecorded else { throw Self.overtaken }
        (upload.received, upload.upload) = (progress.received, progress.upload)
    }

    // MARK: Completion

    /// - Parameter sum: The SHA-256 of the bytes, if all of them arrived in one request.
    private func complete(_ upload: Attachment, sum: String?) async throws(MessagingError) -> Attachment {
        var attachment = upload
        let prefix: [UInt8]
        let computed: String
        do {
            try await blobs.finish(upload)
            prefix = try await bytes(of: upload, 0..<min(upload.size, Int64(ImageDimensions.prefixBytes)))
            if let sum { computed = sum } else { computed = try await sha256(of: upload) }
        } catch {
            throw failure(error, of: upload)
        }
        if let violation = violation(in: upload, prefix, sum: computed) {
            let (id, owner) = (upload.id, upload.owner)
            _ = try await stored { try await store.discardAttachment(id, of: owner) }
            throw .invalid(violation)
        }
        attachment.sha256 = computed
        attachment.dimensions = attachment.type.hasPrefix("image/") ? ImageDimensions(prefix: prefix[...]) : nil
        attachment.isComplete = true
        let (complete, due) = (attachment, clock.milliseconds + settings.orphanMilliseconds)
        let isRecorded = try await stored {
            try await store.completeUpload(
                of: complete.id, sha256: computed, dimensions: complete.dimensions, due: due)
        }
        guard isRecorded else { throw .conflict("the upload was completed or ended by another request") }
        return attachment
    }

    private func violation(in upload: Attachment, _ prefix: [UInt8], sum: String) -> String? {
        if let declared = upload.sha256, declared != sum {
            return "the file has the SHA-256 \(sum), not the declared one; upload it again as a new attachment"
        }
        guard MediaType.agrees(upload.type, with: prefix.prefix(MediaType.prefixBytes)) else {
            return "the file is not of the declared type \(upload.type), or of an unknown format; "
                + "declare \(MediaType.binary) to send it as a download"
        }
        return nil
    }

    private func bytes(of attachment: Attachment, _ range: Range<Int64>) async throws(BlobError) -> [UInt8] {
        var bytes: [UInt8] = []
        try await read(attachment, range) { bytes += $0 }
        return bytes
    }

    private func sha256(of attachment: Attachment) async throws(BlobError) -> String {
        var sum = SHA256()
        try await read(attachment, 0..<attachment.size) { sum.update(data: $0) }
        return Hex.encode(sum.finalize())
    }

    private func read(
        _ attachment: Attachment, _ range: Range<Int64>, _ body: ([UInt8]) -> Void
    ) async throws(BlobError) {
        let reader = try await blobs.read(attachment, range)
        do throws(BlobError) {
            while let bytes = try await reader.next() { body(bytes) }
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
    }
}
