import HTTPTypes
import Hummingbird
import NIOCore
import ParleyWire

/// Compression of JSON answers for clients that accept gzip.
///
/// - Only answers to `GET` and `HEAD`, since credentials are issued by other methods: an answer with a secret must not
///   reveal, by its length, how much of it equals a text that another user has chosen (the attack BREACH).
/// - Lists may still have private texts beside texts of strangers, so each answer gets a random number of bytes more.
/// - Not what is streamed, such as exports and attachments.
enum AnswerCompression {
    /// Smaller answers fit into a packet or two anyway.
    static let minimumBytes = 1_024
    /// The maximum number of random bytes, as in Django's `GZipMiddleware`.
    static let maximumPadding = 100

    /// The body of an answer in memory, as it is written.
    private final class Parts {
        var bytes = ByteBuffer()
    }

    private struct Collector: ResponseBodyWriter {
        let parts: Parts

        func write(_ buffer: ByteBuffer) {
            parts.bytes.writeImmutableBuffer(buffer)
        }

        func finish(_ trailingHeaders: HTTPFields?) {}
    }

    /// Compresses the body of an answer, if that is of use.
    static func apply(to response: inout Response, of request: Request) async throws {
        guard request.method == .get || request.method == .head, response.headers[.contentType] == Response.jsonType,
            // Files have a compressed form of their own.
            response.headers[.eTag] == nil, let count = response.body.contentLength, count >= minimumBytes
        else { return }
        response.headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
        guard Gzip.isAccepted(by: request.headers[values: .acceptEncoding]) else { return }
        let parts = Parts()
        try await response.body.write(Collector(parts: parts))
        let padding = Int.random(in: 1...maximumPadding)
        guard let smaller = Gzip.compress(parts.bytes, .answer, padding: padding), smaller.readableBytes < count else {
            response.body = ResponseBody(byteBuffer: parts.bytes)
            return
        }
        response.headers[.contentEncoding] = "gzip"
        response.body = ResponseBody(byteBuffer: smaller)
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
