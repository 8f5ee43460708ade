import NIOCore
import ParleyClientCore
import ParleyJSON
import ParleyWire

/// JSON, and the frames of sockets.
extension FuzzTarget {
    func runFrames(_ bytes: [UInt8]) throws {
        switch self {
        case .v1: _ = try? V1Decoder().decode(ByteBuffer(bytes: bytes))
        case .v1Client: _ = ServerFrame(bytes)
        case .dialects:
            _ = try? ClassicCodec.decode(ByteBuffer(bytes: bytes))
            _ = try? DirectCodec.decode(ByteBuffer(bytes: bytes))
        case .lines: try lines(bytes)
        case .webSocket: try webSocket(bytes)
        case .webSocketServer: try webSocketServer(bytes)
        case .inflate: try inflate(bytes)
        case .offers: try offers(bytes)
        default: try json(bytes)
        }
    }

    // MARK: JSON

    private func json(_ bytes: [UInt8]) throws {
        var reader = JSONReader(bytes)
        let isWhole = (try? reader.skip()) != nil && (try? reader.end()) != nil
        guard let tree = try? JSONTree(parsing: bytes) else { return }
        try expect(isWhole, "a tree is read from JSON that cannot be skipped")
        let again = try? JSONTree(parsing: tree.json)
        try expect(again == tree, "the canonical text is another value")
    }

    // MARK: Sockets

    private func lines(_ bytes: [UInt8]) throws {
        func read(_ portions: [[UInt8]]) -> [LineSplitter.Item] {
            var splitter = LineSplitter()
            var items: [LineSplitter.Item] = []
            for portion in portions {
                var buffer = ByteBuffer(bytes: portion)
                splitter.append(&buffer)
                while let item = splitter.next() { items.append(item) }
            }
            if let item = splitter.flush() { items.append(item) }
            return items
        }
        let (whole, cut) = portions(bytes)
        let items = read(whole)
        try expect(items == read(cut), "other portions, other lines")
        for case .line(let line) in items {
            try expect(line.readableBytes <= LineSplitter.maximumBytes, "a line above the limit")
            _ = try? LineCodec.decode(line)
        }
    }

    private func webSocket(_ bytes: [UInt8]) throws {
        func read(_ portions: [[UInt8]]) throws -> (inputs: [WebSocketInput], violation: WebSocketViolation?) {
            let parser = WebSocketFrameParser(maximumBytes: 1000, compression: true)
            var inputs: [WebSocketInput] = []
            var violation: WebSocketViolation?
            for portion in portions {
                var buffer = ByteBuffer(bytes: portion)
                parser.append(&buffer)
                do throws(WebSocketViolation) {
                    while let input = try parser.next() { inputs.append(input) }
                } catch {
                    try expect(violation == nil, "a second violation")
                    violation = error
                }
            }
            return (inputs, violation)
        }
        let (whole, cut) = portions(bytes)
        let (one, other) = (try read(whole), try read(cut))
        try expect(one.inputs == other.inputs && one.violation == other.violation, "other portions, other messages")
        for case .text(let text) in one.inputs { try expect(text.readableBytes <= 1000, "a message above the limit") }
    }

    private func webSocketServer(_ bytes: [UInt8]) throws {
        func read(_ portions: [[UInt8]]) -> [WebSocketInput] {
            var parser = WebSocketServerFrameParser(maximumBytes: 1000)
            parser.acceptsCompression()
            var inputs: [WebSocketInput] = []
            for portion in portions {
                var buffer = ByteBuffer(bytes: portion)
                parser.append(&buffer)
                while let input = try? parser.next() { inputs.append(input) }
            }
            return inputs
        }
        let (whole, cut) = portions(bytes)
        try expect(read(whole) == read(cut), "other portions, other messages")
    }

    private func inflate(_ bytes: [UInt8]) throws {
        guard let text = try? PerMessageDeflate.inflate(ByteBuffer(bytes: bytes), maximumBytes: 10_000) else { return }
        try expect(text.readableBytes <= 10_000, "a message above the limit")
        guard let deflated = PerMessageDeflate.compress(text) else { return }
        let again = try? PerMessageDeflate.inflate(deflated, maximumBytes: 10_000)
        try expect(again == text, "compressed and inflated, it is another message")
    }

    private func offers(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        guard let response = PerMessageDeflate.negotiate(offers: lines) else { return }
        try expect(
            response.hasPrefix("permessage-deflate; server_no_context_takeover") && !response.contains("\r"),
            "a response that is no extension")
    }
}
