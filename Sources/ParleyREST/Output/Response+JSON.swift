import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    static func json(_ json: JSON, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        .text(json.text, type: "application/json; charset=utf-8", status: status, headers: headers)
    }

    /// JSON that is written out already.
    static func json(_ buffer: ByteBuffer) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: buffer))
    }

    /// 204.
    static func nothing(headers: HTTPFields = [:]) -> Response {
        Response(status: .noContent, headers: headers)
    }

    static func text(
        _ text: String, type: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
