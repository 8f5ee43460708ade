import HTTPTypes
import Hummingbird
import NIOCore
import ParleyJSON
import ParleyWire

extension Response {
    static func json(_ tree: JSONTree, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        json(ByteBuffer(bytes: tree.json), status: status, headers: headers)
    }

    /// - Parameters:
    ///   - capacity: The expected length in bytes. The body may be longer.
    ///   - write: Writes the single value of the body.
    static func json(
        status: HTTPResponse.Status = .ok, capacity: Int = 256, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return json(writer.buffer, status: status)
    }

    /// Returns a response whose body already is JSON.
    static func json(
        _ buffer: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        body(buffer, type: "application/json; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with status 204.
    static func nothing(headers: HTTPFields = [:]) -> Response {
        Response(status: .noContent, headers: headers)
    }

    static func text(
        _ text: String, type: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        body(ByteBuffer(string: text), type: type, status: status, headers: headers)
    }

    private static func body(
        _ buffer: ByteBuffer, type: String, status: HTTPResponse.Status, headers: HTTPFields
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
    }
}
