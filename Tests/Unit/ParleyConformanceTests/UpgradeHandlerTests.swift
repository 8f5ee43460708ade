import NIOCore
import NIOEmbedded
import NIOHTTP1
import ParleyConformance
import Testing

/// Requests that are not what they should be.
@Suite struct UpgradeHandlerTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private let channel = EmbeddedChannel()
    private let kit: KitLoop

    init() throws {
        kit = KitLoop(channel.embeddedEventLoop)
        try channel.pipeline.syncOperations.addHandler(UpgradeHandler(kit, codecs: []))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func send(_ part: HTTPServerRequestPart) throws { try channel.writeInbound(part) }

    private func answer() throws -> HTTPResponseHead? {
        guard case .head(let head)? = try channel.readOutbound(as: HTTPServerResponsePart.self) else { return nil }
        return head
    }

    /// A handshake with another value of a field, or without it.
    private func handshake(_ field: String = "Host", _ value: String? = "kit") throws {
        var headers: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": Self.key, "Sec-WebSocket-Protocol": "parley.v1", "Authorization": "Bearer st",
        ]
        headers.remove(name: field)
        if let value { headers.add(name: field, value: value) }
        try send(.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/ws", headers: headers)))
        try send(.end(nil))
    }

    private func machine() throws -> ScenarioMachine {
        ScenarioMachine(try #require(Scenario.all.first), tag: "t", milliseconds: 0)
    }

    @Test("a handshake as RFC 6455 wants it is accepted")
    func accepted() throws {
        kit.run(try machine(), asked: { _, _ in }, finished: { _ in })
        try handshake()
        let head = try #require(try answer())
        #expect(head.status == .switchingProtocols)
        #expect(head.headers["Sec-WebSocket-Accept"] == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
    }

    @Test(
        "a handshake without a key or a version is refused, and is a violation",
        arguments: [
            ("Sec-WebSocket-Key", nil), ("Sec-WebSocket-Key", ""), ("Sec-WebSocket-Key", "c2hvcnQ="),
            ("Sec-WebSocket-Key", "not base64"), ("Sec-WebSocket-Version", nil), ("Sec-WebSocket-Version", "8"),
            ("Connection", nil), ("Connection", "close"),
        ] as [(String, String?)])
    func refused(field: String, value: String?) throws {
        var result: ScenarioResult?
        kit.run(try machine(), asked: { _, _ in }, finished: { result = $0 })
        try handshake(field, value)
        let head = try #require(try answer())
        #expect(head.status == .badRequest)
        #expect(head.headers["Sec-WebSocket-Version"] == ["13"])
        guard case .wrong(let violation)? = result?.outcome else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(violation.rule == .frames)
    }

    @Test("a body above the limit is answered, and the connection ends with it", arguments: [false, true])
    func largeBody(goesOn: Bool) throws {
        let half = ByteBuffer(repeating: 0, count: UpgradeHandler.maximumBody / 2)
        try send(.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/auth/login")))
        for _ in 0..<2 { try send(.body(half)) }
        #expect(try answer() == nil)
        try send(.body(ByteBuffer(repeating: 0, count: 1)))
        #expect(try answer()?.status == .payloadTooLarge)
        for _ in 0..<10 { try send(.body(half)) }
        #expect(channel.isActive)
        if goesOn { channel.embeddedEventLoop.advanceTime(by: .seconds(1)) } else { try send(.end(nil)) }
        #expect(!channel.isActive)
    }

    @Test("a body of the maximum size is read")
    func maximumBody() throws {
        try send(.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/auth/login")))
        try send(.body(ByteBuffer(repeating: 0, count: UpgradeHandler.maximumBody)))
        try send(.end(nil))
        // No scenario is running.
        #expect(try answer()?.status == .serviceUnavailable)
        #expect(channel.isActive)
    }
}
