import HTTPTypes
import Hummingbird
import NIOCore
import ParleyMessaging

extension Request {
    /// The maximum size of a body, in bytes.
    static let maximumBodyBytes = 65_536

    private static let allowedTypes = "application/x-www-form-urlencoded and application/json"

    /// Parses the fields of the query.
    func queryFields() throws(APIError) -> Fields {
        try Fields(query: uri.query)
    }

    /// Reads the body as a form or a JSON object, depending on `Content-Type`.
    /// - Throws: `APIError`; `BrokenBody` if the body does not arrive.
    func bodyFields() async throws -> Fields {
        let isJSON = try bodyIsJSON()
        let bytes = try await bodyBytes()
        return isJSON ? try Fields(json: bytes) : try Fields(form: bytes)
    }

    private func bodyIsJSON() throws(APIError) -> Bool {
        guard let value = headers[.contentType] else {
            throw .badRequest("Content-Type is missing; allowed are \(Self.allowedTypes)")
        }
        let parts = value.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
        for parameter in parts.dropFirst() where parameter.hasPrefix("charset=") {
            let charset = parameter.dropFirst("charset=".count).filter { $0 != "\"" }
            guard ["utf-8", "utf8", "us-ascii"].contains(charset) else {
                throw .badRequest("unknown charset in Content-Type; allowed is utf-8")
            }
        }
        switch parts.first {
        case "application/json": return true
        case "application/x-www-form-urlencoded": return false
        default: throw .badRequest("unknown Content-Type; allowed are \(Self.allowedTypes)")
        }
    }

    private func bodyBytes() async throws -> [UInt8] {
        // There is no need to read a body that is announced as too large.
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > Self.maximumBodyBytes {
            throw Self.tooLarge
        }
        do {
            let buffer = try await body.collect(upTo: Self.maximumBodyBytes)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge
        } catch {
            throw BrokenBody(cause: error)
        }
    }

    private static var tooLarge: APIError {
        APIError(.tooLarge, "the body is too large; allowed are at most \(maximumBodyBytes) bytes")
    }
}

/// The error for a request body that did not arrive, because the connection broke or the bytes were not HTTP.
///
/// The connection's own code must see `cause`: it responds to a parser error and closes the connection.
struct BrokenBody: Error {
    let cause: any Error
}
