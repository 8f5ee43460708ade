import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A complete response.
struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]

    init(_ response: Response) async throws {
        status = response.status.code
        headers = response.headers
        let collected = Collector()
        try await response.body.write(collected)
        body = collected.bytes
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    var object: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }

    /// The `code` of an error.
    var code: String? { (object["error"] as? [String: Any])?["code"] as? String }

    /// The `message` of an error.
    var message: String? { (object["error"] as? [String: Any])?["message"] as? String }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// The cookies that the response sets.
    var cookies: [String] { headers[values: .setCookie] }

    /// The value of the session cookie in the response.
    var session: String? {
        cookies.first?.split(separator: ";").first.map { String($0.dropFirst("sessionid=".count)) }
    }

    private final class Collector: ResponseBodyWriter {
        var bytes: [UInt8] = []

        func write(_ buffer: ByteBuffer) async throws { bytes += buffer.readableBytesView }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
