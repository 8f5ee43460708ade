import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// One connection until its upgrade: calls of REST, files of the web app, the handshake.
final class UpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A longer body is refused, in bytes.
    static let maximumBody = 1 << 20
    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let kit: KitLoop
    private let codecs: [any RemovableChannelHandler]
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var context: ChannelHandlerContext?
    private var isUpgraded = false

    /// - Parameter codecs: The handlers of HTTP, which leave with this one.
    init(_ kit: KitLoop, codecs: [any RemovableChannelHandler]) {
        self.kit = kit
        self.codecs = codecs
    }

    func channelActive(context: ChannelHandlerContext) {
        if !kit.opened() { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        kit.closed()
        self.context = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.context = context
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part):
            body.writeBuffer(&part)
            if body.readableBytes > Self.maximumBody { context.close(promise: nil) }
        case .end:
            guard let head else { return }
            self.head = nil
            request(head)
        }
    }

    private func request(_ head: HTTPRequestHead) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path = parts.first?.removingPercentEncoding ?? ""
        let query = Dictionary(
            (parts.count > 1 ? parts[1] : "").split(separator: "&").map { field in
                let pair = field.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
                return (pair.first ?? "", pair.count > 1 ? pair[1] : "")
            }, uniquingKeysWith: { first, _ in first })
        let isAuthorized = kit.isAuthorized(
            authorization: head.headers.first(name: "Authorization"), cookie: head.headers.first(name: "Cookie"),
            user: head.headers.first(name: "X-Parley-User"))
        if head.headers.contains(name: "Upgrade") {
            key = head.headers.first(name: "Sec-WebSocket-Key") ?? ""
            let isV1 = head.headers[canonicalForm: "Sec-WebSocket-Protocol"].contains("parley.v1")
            kit.attempted(self, Handshake(ticket: query["ticket"], isAuthorized: isAuthorized, isV1: isV1))
        } else if head.method == .GET, let file = WebFile(path: path) {
            answer(.ok, [("Content-Type", file.type), ("Cache-Control", "no-cache")], file.body)
        } else {
            let reply = kit.respond(
                to: RESTCall(
                    method: head.method.rawValue, path: path, query: query, body: Array(body.readableBytesView),
                    isAuthorized: isAuthorized))
            answer(
                HTTPResponseStatus(statusCode: reply.status),
                [("Content-Type", "application/json")] + reply.headers, ByteBuffer(string: reply.json))
        }
    }

    private var key = ""

    private func answer(_ status: HTTPResponseStatus, _ headers: [(String, String)], _ body: ByteBuffer) {
        guard let context else { return }
        var fields = HTTPHeaders(headers)
        fields.add(name: "Content-Length", value: "\(body.readableBytes)")
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    // MARK: The decision about a handshake

    func reject(_ status: Int, retryAfter: Int?) {
        let headers = retryAfter.map { [("Retry-After", "\($0)")] } ?? []
        let text = #"{"error":{"code":"unavailable","message":"refused by the scenario"}}"#
        answer(
            HTTPResponseStatus(statusCode: status), [("Content-Type", "application/json")] + headers,
            ByteBuffer(string: text))
    }

    /// Answers with 101 and lets a `SocketHandler` take the connection over.
    func accept(_ number: Int) -> SocketHandler? {
        guard let context, !isUpgraded else { return nil }
        isUpgraded = true
        let digest = Insecure.SHA1.hash(data: Data((key + Self.guid).utf8))
        let headers: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Protocol": "parley.v1",
            "Sec-WebSocket-Accept": Data(digest).base64EncodedString(),
        ]
        context.write(
            wrapOutboundOut(
                .head(HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers))),
            promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        let socket = SocketHandler(number, kit, context.channel)
        let pipeline = context.pipeline.syncOperations
        do { try pipeline.addHandler(socket) } catch { return nil }
        self.context = nil
        _ = pipeline.removeHandler(self)
        for codec in codecs { _ = pipeline.removeHandler(codec) }
        return socket
    }
}
