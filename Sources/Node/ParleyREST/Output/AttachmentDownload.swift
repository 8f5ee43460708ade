import HTTPTypes
import Hummingbird
import NIOCore
import ParleyMessaging
import ParleyModel

/// A response with the bytes of an attachment, or a part of them.
///
/// No file runs in a browser: types that browsers do not merely display or play are served as downloads without a type, the
/// policy opens files in a sandbox without an origin, and browsers do not guess types (`FrontMiddleware`).
struct AttachmentDownload: Sendable {
    let file: ReadableFile

    private var attachment: Attachment { file.attachment }

    func response(to request: Request) async throws -> Response {
        let tag = EntityTag(version: attachment.sha256 ?? attachment.id.text)
        var headers = self.headers
        headers[.eTag] = tag.text
        if tag.isKnown(to: request) {
            var response = Response(status: .notModified, headers: headers)
            response.headers[.contentLength] = nil
            return response
        }
        let described = self.described
        headers[.contentType] = described.contentType
        headers[.contentDisposition] = described.contentDisposition
        if request.method == .head {
            headers[.uploadOffset] = "\(attachment.received)"
            headers[.uploadLength] = "\(attachment.size)"
            headers[.contentLength] = "\(attachment.size)"
            return Response(status: .ok, headers: headers)
        }
        if let address = file.address(described) {
            return Response(status: .found, headers: [.location: address, .cacheControl: "no-store"])
        }
        let range = tag.isRangeable(in: request) ? request.headers[.range] : nil
        switch ByteRange(range, size: attachment.size) {
        case .whole:
            return try await response(.ok, headers, 0..<attachment.size)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(attachment.size)"
            return try await response(.partialContent, headers, part)
        case .unsatisfiable:
            var error = APIError.badRequest("the range is outside of the file, which has \(attachment.size) bytes")
            error.status = .rangeNotSatisfiable
            error.headers[.contentRange] = "bytes */\(attachment.size)"
            throw error
        }
    }

    private var headers: HTTPFields {
        [
            // A message can be deleted, and a user removed, at any time.
            .cacheControl: "private, no-cache", .acceptRanges: "bytes",
            .contentSecurityPolicy: "sandbox; default-src 'none'; frame-ancestors 'none'",
            .resourcePolicy: "same-site",
        ]
    }

    private var described: BlobHeaders {
        let isShown = MediaType.isShown(attachment.type)
        return BlobHeaders(
            contentType: isShown ? attachment.type : MediaType.binary,
            contentDisposition: Self.disposition(isShown ? "inline" : "attachment", attachment.name))
    }

    /// Returns a `Content-Disposition` (RFC 6266) with the name in ASCII for old clients, and in UTF-8.
    static func disposition(_ kind: String, _ name: String) -> String {
        let plain = String(
            decoding: name.unicodeScalars.map { scalar -> UInt8 in
                guard scalar.isASCII, scalar.value >= 0x20, scalar != "\"", scalar != "\\", scalar != "%" else {
                    return UInt8(ascii: "_")
                }
                return UInt8(truncatingIfNeeded: scalar.value)
            }, as: UTF8.self)
        return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encode(name.utf8))"
    }

    private func response(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ range: Range<Int64>
    ) async throws -> Response {
        // The reader is opened before the head is sent, so that lost or unavailable bytes have a status of their own.
        // It is unsafe only to the compiler: only the body uses the reader, and Hummingbird writes a body once.
        nonisolated(unsafe) let reader = try await file.read(range)
        let body = ResponseBody(contentLength: Int(range.count)) { writer in
            do {
                while let bytes = try await reader.next() { try await writer.write(ByteBuffer(bytes: bytes)) }
            } catch {
                await reader.close()
                throw error
            }
            await reader.close()
            try await writer.finish(nil)
        }
        return Response(status: status, headers: headers, body: body)
    }
}
