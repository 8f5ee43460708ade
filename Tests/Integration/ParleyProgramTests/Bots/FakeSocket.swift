import NIOCore
import ParleyConformance
import ParleyModel
import ParleyWire

/// One v1 client of a `FakeCluster`; bound to its event loop.
final class FakeSocket {
    let user: String
    private let state: FakeState
    private let channel: any Channel
    private let parser = WebSocketFrameParser(maximumBytes: 65_536, compression: false)
    private let decoder = V1Decoder()
    var isLive = false
    /// A delivery to be made after the next one.
    var delayed: LogEvent?
    /// Deliveries before this one are skipped.
    var leavesOutUntil: Int?
    private var leftOut: [ThreadID: ClosedRange<Int64>] = [:]

    init(_ user: String, _ state: FakeState, _ channel: any Channel) {
        (self.user, self.state, self.channel) = (user, state, channel)
        state.sockets[ObjectIdentifier(self)] = self
        let threads = state.threads(of: user).map { thread in
            V1Thread(thread: thread.room.info, role: .member, head: thread.room.position)
        }
        send(
            .hello(
                V1Hello(
                    connection: ConnectionID(trusted: "c1"), node: "fake",
                    user: User(id: UserID(trusted: user), name: user),
                    serverTime: 1, pingIntervalMilliseconds: 25_000, limits: Limits(), ticket: "ticket.\(user)",
                    threads: threads, hasMore: false)))
    }

    func send(_ frame: V1Frame) {
        if let payload = V1Encoder.encode(frame) { send(payload) }
    }

    private func send(_ payload: ByteBuffer) {
        channel.writeAndFlush(WebSocketFrame.text(payload, compressed: false), promise: nil)
    }

    func received(_ bytes: inout ByteBuffer) {
        parser.append(&bytes)
        do {
            while let input = try parser.next() {
                switch input {
                case .text(let text): response(try decoder.decode(text))
                case .close: cut()
                case .ping, .pong, .binary: break
                }
            }
        } catch {
            close(code: 1002)
        }
    }

    private func response(_ request: V1Request) {
        switch request.command {
        case .resume(let positions): resume(positions, ref: request.ref)
        case .send(let message): for frame in state.send(message, ref: request.ref, by: user) { send(frame) }
        case .history(let history):
            guard let thread = state.threads[history.thread.text] else { return }
            send(ByteBuffer(string: thread.room.page(history, ref: request.ref).json))
        case .read(let thread, let seq):
            state.threads[thread.text]?.reads[user] = seq ?? 0
            if let ref = request.ref { send(.ack(V1Ack(ref: ref))) }
        default: break
        }
    }

    private func resume(_ positions: [ThreadID: Position], ref: Int64?) {
        var results: [ThreadID: V1Resumption] = [:]
        for (id, seen) in positions {
            guard let room = state.threads[id.text]?.room else { continue }
            var resumption = room.resumption(at: seen)
            if resumption.state == .replayed, state.faults.contains(.makesPages) { resumption.state = .page }
            if resumption.state == .replayed {
                let missing = room.events(after: seen.seq)
                for event in state.faults.contains(.cutsReplays) ? missing.dropLast() : missing[...] {
                    send(ByteBuffer(string: event))
                }
            }
            results[id] = resumption
        }
        isLive = true
        send(.resumed(results, ref: ref))
    }

    // MARK: Disturbances

    func leaveOut(_ event: LogEvent) {
        let seq = event.position.seq
        leftOut[event.thread] = (leftOut[event.thread]?.lowerBound ?? seq)...seq
    }

    func endLeavingOut() {
        leavesOutUntil = nil
        if !leftOut.isEmpty { send(.behind(leftOut)) }
        leftOut = [:]
    }

    func sayBye(_ milliseconds: Int64) {
        send(.bye(reconnectAfterMilliseconds: milliseconds, ticket: "bye.\(user)"))
        channel.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) { self.close(code: 4200) }
    }

    func after(_ body: @escaping () -> Void) {
        channel.eventLoop.assumeIsolated().execute(body)
    }

    func close(code: UInt16) {
        guard state.sockets[ObjectIdentifier(self)] != nil else { return }
        channel.writeAndFlush(WebSocketFrame.close(code: code, reason: ""), promise: nil)
        cut()
    }

    func cut() {
        ended()
        channel.close(promise: nil)
    }

    func ended() {
        isLive = false
        state.sockets[ObjectIdentifier(self)] = nil
    }
}
