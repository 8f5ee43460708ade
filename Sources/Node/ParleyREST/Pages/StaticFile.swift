import HTTPTypes
import Hummingbird
import NIOCore
import ParleyModel
import ParleyWire

/// A file of the web client, embedded in the binary, with a compressed copy if it is text.
struct StaticFile: Sendable {
    /// The minimum size of a compressed file, in bytes.
    private static let minimumCompressedBytes = 512

    private struct Variant: Sendable {
        let body: ByteBuffer
        let eTag: EntityTag
    }

    let path: String
    private let plain: Variant
    /// The compressed copy; `nil` if it would not be smaller.
    private let gzipped: Variant?
    private let headers: HTTPFields

    /// - Parameters:
    ///   - path: The path of the file on the server.
    ///   - type: The `Content-Type`.
    init(_ path: String, _ type: String, _ bytes: ByteBuffer, policy: PagePolicy = PagePolicy()) {
        self.path = path
        let version = FNV1a128.hex(of: String(decoding: bytes.readableBytesView, as: UTF8.self))
        plain = Variant(body: bytes, eTag: EntityTag(version: version))
        let isText = type.hasPrefix("text/") || type.contains("json") || type.contains("svg")
        let smaller = isText && bytes.readableBytes >= Self.minimumCompressedBytes ? Gzip.compress(bytes) : nil
        gzipped = smaller.flatMap { body in
            // The two representations need different tags (RFC 9110 §8.8.3.3).
            body.readableBytes < bytes.readableBytes
                ? Variant(body: body, eTag: EntityTag(version: version + "-gzip")) : nil
        }
        var headers: HTTPFields = [
            .contentType: type,
            // The files of a version belong together, so browsers revalidate them each time, and mostly receive 304.
            .cacheControl: "no-cache",
            .contentSecurityPolicy: policy.text,
            .openerPolicy: "same-origin",
            .resourcePolicy: "same-origin",
        ]
        headers[.frameOptions] = policy.frameOptions
        if gzipped != nil { headers[.vary] = "Accept-Encoding" }
        self.headers = headers
    }

    /// Returns the file, compressed if the client accepts that, or 304 if the client's copy is current.
    func response(to request: Request) -> Response {
        var headers = headers
        let isGzipped = gzipped != nil && Gzip.isAccepted(by: request.headers[values: .acceptEncoding])
        let variant = isGzipped ? gzipped ?? plain : plain
        headers[.eTag] = variant.eTag.text
        guard !variant.eTag.isKnown(to: request) else {
            headers[.contentType] = nil
            var response = Response(status: .notModified, headers: headers)
            response.headers[.contentLength] = nil
            return response
        }
        if isGzipped { headers[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: variant.body))
    }
}

extension Gzip {
    /// Whether a client accepts gzip (RFC 9110 §12.5.3).
    /// - Parameter values: The values of `Accept-Encoding`.
    static func isAccepted(by values: [String]) -> Bool {
        var weights: [String: Bool] = [:]
        for entry in values.joined(separator: ",").split(separator: ",") {
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            weights[name] = weight > 0
        }
        return weights["gzip"] ?? weights["*"] ?? false
    }
}
