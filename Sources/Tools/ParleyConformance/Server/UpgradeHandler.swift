import Crypto
import Foundation
package import NIOCore
package import NIOHTTP1
import ParleyWire

/// A connection before its upgrade: REST calls, files of the web app, and the handshake.
package final class UpgradeHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias OutboundOut = HTTPServerResponsePart

    /// The maximum size of a body in bytes. A larger body is refused.
    package static let maximumBody = 1 << 20
    /// The time that a client may continue to send a refused body.
    private static let closing = TimeAmount.seconds(1)
    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let kit: KitLoop
    private let codecs: [any RemovableChannelHandler]
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var context: ChannelHandlerContext?
    private var isUpgraded = false

    /// - Parameter codecs: The HTTP handlers, which are removed together with this one.
    package init(_ kit: KitLoop, codecs: [any RemovableChannelHandler]) {
        self.kit = kit
        self.codecs = codecs
    }

    package func channelActive(context: ChannelHandlerContext) {
        if !kit.opened() { context.close(promise: nil) }
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        kit.closed()
        self.context = nil
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.context = context
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part):
            guard head != nil else { return }
            body.writeBuffer(&part)
            if body.readableBytes > Self.maximumBody { refuseBody(context) }
        case .end:
            guard let head else { return context.close(promise: nil) }
            self.head = nil
            request(head)
        }
    }

    /// Answers immediately, and discards the rest of the body. If the connection were closed during the body, the
    /// client might not see the answer.
    private func refuseBody(_ context: ChannelHandlerContext) {
        head = nil
        body = ByteBuffer()
        answer(
            RESTAnswer.failure(413, .tooLarge, "the body has more than \(Self.maximumBody) bytes"),
            [("Connection", "close")])
        let channel = context.channel
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.closing) { channel.close(promise: nil) }
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
            authorization: head.headers.first(name: "Authorization"), cookie: head.headers.first(name: "Cookie"))
        if Self.lists(head, "Upgrade", "websocket") {
            key = head.headers.first(name: "Sec-WebSocket-Key") ?? ""
            let isV1 = head.headers[canonicalForm: "Sec-WebSocket-Protocol"].contains("parley.v1")
            kit.attempted(
                self,
                Handshake(
                    ticket: query["ticket"], isAuthorized: isAuthorized, isV1: isV1, fault: Self.fault(of: head)))
        } else if head.method == .GET, let file = WebFile(path: path) {
            answer(.ok, [("Content-Type", file.type), ("Cache-Control", "no-cache")], file.body)
        } else {
            answer(
                kit.respond(
                    to: RESTCall(
                        method: head.method.rawValue, path: path, query: query, body: Array(body.readableBytesView),
                        isAuthorized: isAuthorized)))
        }
    }

    private var key = ""

    private static func lists(_ head: HTTPRequestHead, _ field: String, _ value: String) -> Bool {
        head.headers[canonicalForm: field].contains { $0.lowercased() == value }
    }

    private static func fault(of head: HTTPRequestHead) -> Handshake.Fault? {
        guard head.method == .GET, lists(head, "Connection", "upgrade") else { return .connection }
        guard head.headers["Sec-WebSocket-Version"] == ["13"] else { return .version }
        let keys = head.headers["Sec-WebSocket-Key"]
        return keys.count == 1 && Data(base64Encoded: keys[0])?.count == 16 ? nil : .key
    }

    private func answer(_ answer: RESTAnswer, _ headers: [(String, String)] = []) {
        self.answer(
            HTTPResponseStatus(statusCode: answer.status),
            [("Content-Type", "application/json")] + answer.headers + headers, ByteBuffer(string: answer.json))
    }

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

    /// Answers with an error, and closes the connection: the decoder reads nothing behind a request for an upgrade.
    func reject(_ status: Int, retryAfter: Int?) {
        let code: V1ErrorCode =
            switch status {
            case 400: .badRequest
            case 401: .unauthorized
            case 403: .forbidden
            case 429: .rateLimited
            default: .unavailable
            }
        var refusal = RESTAnswer.failure(status, code, "refused by the scenario")
        refusal.headers = retryAfter.map { [("Retry-After", "\($0)")] } ?? []
        // The gateway sends this header for any invalid handshake (RFC 6455 §4.4).
        if status == 400 { refusal.headers.append(("Sec-WebSocket-Version", "13")) }
        answer(refusal, [("Connection", "close")])
        context?.close(promise: nil)
    }

    /// Answers with 101, and replaces this handler by a `SocketHandler`.
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
