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
    ///   - capacity: the expected length in bytes; the body may become longer.
    ///   - write: writes the single value of the body.
    static func json(
        status: HTTPResponse.Status = .ok, capacity: Int = 256, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return json(writer.buffer, status: status)
    }

    /// A body that is JSON already.
    static func json(
        _ buffer: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        body(buffer, type: "application/json; charset=utf-8", status: status, headers: headers)
    }

    /// 204.
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
