import NIOCore
import ParleyChannels
import ParleyClientCore
import ParleyJSON
import ParleyModel
import ParleyRedisClient
import ParleyWire

/// A decoder of bytes from outside. It may refuse its input, never trap, and gives the same result for any portions.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// JSON, read as a tree and skipped.
    case json
    /// Frames of v1 clients.
    case v1
    /// Frames of v1 servers, as clients read them.
    case v1Client = "v1-client"
    /// Frames of classic and direct clients.
    case dialects
    /// The bytes of a line client.
    case lines
    /// The bytes of a WebSocket client, with permessage-deflate.
    case webSocket = "websocket"
    /// The bytes of a WebSocket server, as bots read them.
    case webSocketServer = "websocket-server"
    /// A compressed message.
    case inflate
    /// Replies of Redis.
    case resp
    /// Payloads of Django and of other nodes, in both formats.
    case channels
    /// The beginning of an uploaded file.
    case media

    /// - Throws: never; a violated expectation traps.
    func run(_ bytes: [UInt8]) {
        switch self {
        case .json: json(bytes)
        case .v1: _ = try? V1Decoder().decode(ByteBuffer(bytes: bytes))
        case .v1Client: _ = ServerFrame(bytes)
        case .dialects:
            _ = try? ClassicCodec.decode(ByteBuffer(bytes: bytes))
            _ = try? DirectCodec.decode(ByteBuffer(bytes: bytes))
        case .lines: lines(bytes)
        case .webSocket: webSocket(bytes)
        case .webSocketServer: webSocketServer(bytes)
        case .inflate: inflate(bytes)
        case .resp: resp(bytes)
        case .channels: channels(bytes)
        case .media: media(bytes)
        }
    }

    // MARK: JSON

    private func json(_ bytes: [UInt8]) {
        var reader = JSONReader(bytes)
        let isWhole = (try? reader.skip()) != nil && (try? reader.end()) != nil
        guard let tree = try? JSONTree(parsing: bytes) else { return }
        precondition(isWhole, "a tree is read from JSON that cannot be skipped")
        let again = try? JSONTree(parsing: tree.json)
        precondition(again == tree, "the canonical text is another value")
    }

    // MARK: Sockets

    /// The bytes whole, and cut at the place that the first of them says.
    private func portions(_ bytes: [UInt8]) -> (whole: [[UInt8]], cut: [[UInt8]]) {
        let rest = Array(bytes.dropFirst())
        let place = min(Int(bytes.first ?? 0), rest.count)
        return ([rest], [Array(rest[..<place])] + rest[place...].map { [$0] })
    }

    private func lines(_ bytes: [UInt8]) {
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
        precondition(items == read(cut), "other portions, other lines")
        for case .line(let line) in items {
            precondition(line.readableBytes <= LineSplitter.maximumBytes, "a line above the limit")
            _ = try? LineCodec.decode(line)
        }
    }

    private func webSocket(_ bytes: [UInt8]) {
        func read(_ portions: [[UInt8]]) -> (inputs: [WebSocketInput], violation: WebSocketViolation?) {
            let parser = WebSocketFrameParser(maximumBytes: 1000, compression: true)
            var inputs: [WebSocketInput] = []
            var violation: WebSocketViolation?
            for portion in portions {
                var buffer = ByteBuffer(bytes: portion)
                parser.append(&buffer)
                do throws(WebSocketViolation) {
                    while let input = try parser.next() { inputs.append(input) }
                } catch {
                    precondition(violation == nil, "a second violation")
                    violation = error
                }
            }
            return (inputs, violation)
        }
        let (whole, cut) = portions(bytes)
        let (one, other) = (read(whole), read(cut))
        precondition(one.inputs == other.inputs && one.violation == other.violation, "other portions, other messages")
        for case .text(let text) in one.inputs { precondition(text.readableBytes <= 1000, "a message above the limit") }
    }

    private func webSocketServer(_ bytes: [UInt8]) {
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
        precondition(read(whole) == read(cut), "other portions, other messages")
    }

    private func inflate(_ bytes: [UInt8]) {
        guard let text = try? PerMessageDeflate.inflate(ByteBuffer(bytes: bytes), maximumBytes: 10_000) else { return }
        precondition(text.readableBytes <= 10_000, "a message above the limit")
        guard let deflated = PerMessageDeflate.compress(text) else { return }
        let again = try? PerMessageDeflate.inflate(deflated, maximumBytes: 10_000)
        precondition(again == text, "compressed and inflated, it is another message")
    }

    // MARK: Files

    private func media(_ bytes: [UInt8]) {
        let size = ImageDimensions(prefix: bytes[...])
        if let size {
            let allowed = 1...ImageDimensions.maximum
            precondition(allowed.contains(size.width) && allowed.contains(size.height), "absurd dimensions")
        }
        precondition(ImageDimensions(prefix: ([0] + bytes)[1...]) == size, "another place, other dimensions")
        let prefix = bytes.prefix(MediaType.prefixBytes)
        for type in [
            "image/png", "image/jpeg", "image/webp", "image/avif", "video/mp4", "audio/mpeg", "application/pdf",
        ] {
            _ = MediaType.agrees(type, with: prefix)
        }
        if let type = MediaType.normalized(String(decoding: bytes, as: UTF8.self)) {
            precondition(MediaType.normalized(type) == type, "normalized twice, it is another type")
        }
    }

    // MARK: Redis

    private func resp(_ bytes: [UInt8]) {
        func read(_ portions: [[UInt8]]) -> [RESPValue] {
            guard let reader = RESPReader() else { return [] }
            var values: [RESPValue] = []
            for portion in portions {
                do {
                    try portion.withUnsafeBytes { try reader.feed($0) }
                    while let value = try reader.next() { values.append(value) }
                } catch {
                    return values
                }
            }
            return values
        }
        let (whole, cut) = portions(bytes)
        let values = read(cut)
        // The whole is refused as soon as a part of it is, with the replies before that part.
        precondition(values.starts(with: read(whole)), "other portions, other replies")
    }

    private func channels(_ bytes: [UInt8]) {
        for value in [try? MessagePackReader.decode(bytes), try? PythonJSONReader.decode(bytes)] {
            guard let value else { continue }
            _ = try? ForeignPayload.event(value)
            _ = (SignalPayload.ephemeral(value), SignalPayload.control(value), SignalPayload.readMark(value))
            guard let event = try? EventPayload.event(value) else { continue }
            for serializer in ChannelsSettings.Serializer.allCases {
                let payload = EventPayload.bytes(of: event, serializer)
                let again =
                    switch serializer {
                    case .msgpack: try? MessagePackReader.decode(payload)
                    case .json: try? PythonJSONReader.decode(payload)
                    }
                precondition(again.flatMap(EventPayload.event) == event, "written and read, it is another event")
            }
        }
    }
}
