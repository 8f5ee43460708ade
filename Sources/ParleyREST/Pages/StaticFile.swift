import HTTPTypes
import Hummingbird
import NIOCore
import ParleyModel

/// A file of the web client, embedded in the binary.
struct StaticFile: Sendable {
    let path: String
    private let body: ByteBuffer
    private let headers: HTTPFields
    private let eTag: EntityTag

    /// - Parameters:
    ///   - path: where browsers find it.
    ///   - type: the `Content-Type`.
    init(_ path: String, _ type: String, _ bytes: UnsafeRawBufferPointer) {
        self.path = path
        body = ByteBuffer(bytes: bytes)
        eTag = EntityTag(version: FNV1a128.hex(of: String(decoding: bytes, as: UTF8.self)))
        headers = [
            .contentType: type,
            // The files of one version belong together, so browsers revalidate each time, and mostly get 304.
            .cacheControl: "no-cache",
            .eTag: eTag.text,
            .contentSecurityPolicy: Self.policy(path),
            .frameOptions: "DENY",
            .openerPolicy: "same-origin",
            .resourcePolicy: "same-origin",
        ]
    }

    /// Nothing from other hosts, and scripts only from files: a text injected into the page cannot become code. The app
    /// also shows pictures that are not sent yet, which are blobs of its own, and plays videos of the server.
    private static func policy(_ path: String) -> String {
        let media = path == "/" ? ["img-src 'self' blob:", "media-src 'self'"] : ["img-src 'self' data:"]
        let all =
            ["default-src 'none'", "script-src 'self'", "style-src 'self'"] + media + [
                "font-src 'self'", "connect-src 'self'", "manifest-src 'self'", "form-action 'self'", "base-uri 'none'",
                "frame-ancestors 'none'",
            ]
        return all.joined(separator: "; ")
    }

    /// The file, or 304 if the client's copy is current.
    func response(to request: Request) -> Response {
        guard !eTag.isKnown(to: request) else {
            var response = Response(status: .notModified, headers: headers)
            response.headers[.contentType] = nil
            response.headers[.contentLength] = nil
            return response
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
