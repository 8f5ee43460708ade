import ParleyClient
import ParleyJSON

/// A socket of a ``FakeChatServer``. A lock guards the state.
///
/// Frames are delivered at once, or, while the server has a latency, at their time on the server's clock and in their
/// order.
final class FakeSocket: ChatSocket {
    private struct State {
        var isClosed = false
        /// The number of frames that wait for their time.
        var waiting = 0
    }

    let user: String
    private let clock: any ChatClock
    private let events = IncomingEvents()
    private let state = Locked(State())
    private let delayed: AsyncStream<(due: Duration, frame: [UInt8])>.Continuation
    private let receiveText: @Sendable (String, FakeSocket) throws -> Void
    private let closed: @Sendable (FakeSocket) -> Void

    /// - Parameters:
    ///   - receive: Called with each frame of the client.
    ///   - closed: Called when the client closes the socket.
    init(
        user: String, clock: any ChatClock, receive: @escaping @Sendable (String, FakeSocket) throws -> Void,
        closed: @escaping @Sendable (FakeSocket) -> Void
    ) {
        self.user = user
        self.clock = clock
        receiveText = receive
        self.closed = closed
        let (stream, continuation) = AsyncStream.makeStream(of: (due: Duration, frame: [UInt8]).self)
        delayed = continuation
        let (events, state) = (self.events, self.state)
        Task {
            for await (due, frame) in stream {
                try? await clock.sleep(until: due)
                state.withLock { state in
                    state.waiting -= 1
                    if !state.isClosed { events.append(.text(frame)) }
                }
            }
        }
    }

    deinit { delayed.finish() }

    /// Delivers a frame.
    /// - Parameter latency: The delay; the frame never overtakes an earlier one.
    func push(_ frame: JSONTree, latency: Duration) {
        state.withLock { state in
            guard !state.isClosed else { return }
            guard latency > .zero || state.waiting > 0 else { return _ = events.append(.text(frame.json)) }
            state.waiting += 1
            delayed.yield((clock.uptime + latency, frame.json))
        }
    }

    /// Ends the socket. Frames that wait are lost.
    func end(code: Int?) {
        state.withLock { state in
            state.isClosed = true
            events.append(.closed(code: code))
        }
        delayed.finish()
    }

    func send(_ text: String) async throws { try receiveText(text, self) }

    func receive() async -> [SocketEvent] { await events.receive() }

    func close(code: Int) async {
        closed(self)
        end(code: nil)
    }
}
