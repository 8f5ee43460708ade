import ParleyTestSupport

/// Plays a case, with a parser and an encoder of its own.
final class AutobahnClient {
    /// What differs from the case.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let connection: RawConnection
    private var received: [UInt8] = []
    /// Bytes of `received` that are read.
    private var read = 0
    /// The first frame of a message in fragments, with the payload so far.
    private var open: AutobahnCase.Frame?
    /// The payload of the server's close frame.
    private var close: [UInt8]?
    private var events: [AutobahnCase.Event] = []

    private init(_ connection: RawConnection) {
        self.connection = connection
    }

    /// - Parameter handshake: makes the text of a handshake with these further fields.
    static func play(
        _ test: AutobahnCase, port: Int, handshake: (_ more: String) -> String
    ) async throws {
        let client = AutobahnClient(try await RawConnection.connect(port: port))
        let offers = test.offers.map { "Sec-WebSocket-Extensions: \($0)\r\n" } ?? ""
        try await client.connection.send(handshake(offers))
        try await client.readHead(isCompressed: test.isCompressed)
        switch test.script {
        case .frames(let frames, let writes, let expected, let end):
            try await client.play(frames, writes, expected, end)
        case .load(let load):
            try await client.play(load, isCompressed: test.isCompressed)
        }
        await client.connection.close()
    }

    private func play(
        _ frames: [AutobahnCase.Frame], _ writes: AutobahnCase.Writes, _ expected: [AutobahnCase.Event],
        _ end: AutobahnCase.End
    ) async throws {
        let code: UInt16?
        switch end {
        case .closedByClient:
            try await send(frames, writes)
            while events.count < expected.count, try await readMore() {}
            try await connection.send(AutobahnCase.Frame.close(1000).bytes)
            code = 1000
        case .answered(let answer):
            // The server may have closed before everything is sent.
            try? await send(frames, writes)
            code = answer
        case .refused(let refusal):
            try? await send(frames, writes)
            code = refusal
        }
        while try await readMore() {}
        guard events == expected else { throw Failure(description: "received \(describe(events))") }
        try checkClose(code)
    }

    private func play(_ load: AutobahnCase.Load, isCompressed: Bool) async throws {
        for round in 0..<load.rounds {
            let payload = load.payload(round)
            let sent = isCompressed ? try Deflate.compress(payload) : payload
            let frames = AutobahnCase.Frame.message(
                load.isBinary ? 2 : 1, sent, fragments: load.fragmentBytes, isCompressed: isCompressed)
            events = []
            try await send(frames, load.writes)
            while events.isEmpty, try await readMore() {}
            guard events == [load.isBinary ? .binary(payload) : .text(payload)] else {
                throw Failure(description: "message \(round) of \(payload.count) bytes: received \(describe(events))")
            }
        }
        try await connection.send(AutobahnCase.Frame.close(1000).bytes)
        while try await readMore() {}
        try checkClose(1000)
    }

    private func checkClose(_ code: UInt16?) throws {
        guard let close else { throw Failure(description: "no close frame") }
        let got = close.count >= 2 ? UInt16(close[0]) << 8 | UInt16(close[1]) : nil
        guard got == code else {
            throw Failure(description: "closed with \(got.map(String.init) ?? "no code")")
        }
    }

    private func describe(_ events: [AutobahnCase.Event]) -> String {
        events.map { event in
            switch event {
            case .text(let bytes): "a text of \(bytes.count) bytes"
            case .binary(let bytes): "a binary message of \(bytes.count) bytes"
            case .pong(let bytes): "a pong of \(bytes.count) bytes"
            }
        }.description
    }

    // MARK: Bytes

    private func send(_ frames: [AutobahnCase.Frame], _ writes: AutobahnCase.Writes) async throws {
        switch writes {
        case .one: try await connection.send(frames.flatMap(\.bytes))
        case .frames: for frame in frames { try await connection.send(frame.bytes) }
        case .bytes(let count):
            let bytes = frames.flatMap(\.bytes)
            for start in stride(from: 0, to: bytes.count, by: count) {
                try await connection.send(Array(bytes[start..<min(start + count, bytes.count)]))
            }
        }
    }

    private func readHead(isCompressed: Bool) async throws {
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            guard let chunk = try await connection.read() else { throw Failure(description: "no handshake: \(head)") }
            head += String(decoding: chunk, as: UTF8.self)
        }
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw Failure(description: "no handshake: \(head)") }
        guard head.lowercased().contains("sec-websocket-extensions: permessage-deflate") == isCompressed else {
            throw Failure(description: "negotiated otherwise: \(head)")
        }
    }

    /// Reads some bytes and takes the complete frames from them.
    /// - Returns: whether more may come.
    private func readMore() async throws -> Bool {
        guard let chunk = try await connection.read() else {
            guard read == received.count else { throw Failure(description: "the last frame is incomplete") }
            return false
        }
        received += chunk
        while let frame = try nextFrame() { try receive(frame) }
        if read > 0 {
            received.removeFirst(read)
            read = 0
        }
        return true
    }

    private func nextFrame() throws -> AutobahnCase.Frame? {
        let left = received.count - read
        guard left >= 2 else { return nil }
        let (first, second) = (received[read], received[read + 1])
        guard second & 0x80 == 0 else { throw Failure(description: "a masked frame") }
        let more = second == 126 ? 2 : second == 127 ? 8 : 0
        guard left >= 2 + more else { return nil }
        let length =
            more == 0 ? Int(second) : received[read + 2..<read + 2 + more].reduce(0) { $0 << 8 | Int($1) }
        guard left >= 2 + more + length else { return nil }
        let start = read + 2 + more
        read = start + length
        return AutobahnCase.Frame(
            opcode: first & 0xF, payload: Array(received[start..<start + length]), isFinal: first & 0x80 != 0,
            reserved: first >> 4 & 7)
    }

    private func receive(_ frame: AutobahnCase.Frame) throws {
        guard close == nil else { throw Failure(description: "a frame behind the close frame") }
        switch frame.opcode {
        case 8: close = frame.payload
        case 9: break
        case 10: events.append(.pong(frame.payload))
        case 0:
            guard var whole = open else { throw Failure(description: "a continuation of nothing") }
            whole.payload += frame.payload
            open = frame.isFinal ? nil : whole
            if frame.isFinal { try complete(whole) }
        case 1, 2:
            guard open == nil else { throw Failure(description: "a message within a message") }
            if frame.isFinal { try complete(frame) } else { open = frame }
        default: throw Failure(description: "opcode \(frame.opcode)")
        }
    }

    private func complete(_ message: AutobahnCase.Frame) throws {
        let payload = message.reserved == 4 ? try Deflate.expand(message.payload, limit: 1 << 26) : message.payload
        events.append(message.opcode == 1 ? .text(payload) : .binary(payload))
    }
}
