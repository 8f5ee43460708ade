/// The events of a socket that no one has received yet. A lock guards the state.
///
/// The socket stops reading when `append` returns `false`, and continues when `receive` has taken everything. A busy
/// client therefore uses bounded memory, and the server's `behind` reports what it missed.
package final class IncomingEvents: Sendable {
    /// The number of events that stops the reading.
    static let highMark = 4_096

    private typealias Receiver = CheckedContinuation<[SocketEvent], Never>

    private struct State {
        var events: [SocketEvent] = []
        var isClosed = false
        var receiver: Receiver?
    }

    private let state = Locked(State())

    package init() {}

    /// - Returns: Whether there is room for more events.
    @discardableResult
    package func append(_ event: SocketEvent) -> Bool {
        let (receiver, events) = state.withLock { state -> (Receiver?, [SocketEvent]) in
            guard !state.isClosed else { return (nil, []) }
            if case .closed = event { state.isClosed = true }
            state.events.append(event)
            guard let receiver = state.receiver else { return (nil, state.events) }
            state.receiver = nil
            defer { state.events = [] }
            return (receiver, state.events)
        }
        receiver?.resume(returning: events)
        return receiver != nil || events.count < Self.highMark
    }

    /// Waits for events and returns all of them. After the end it always returns `closed`.
    package func receive() async -> [SocketEvent] {
        await withCheckedContinuation { continuation in
            let events: [SocketEvent]? = state.withLock { state in
                if !state.events.isEmpty {
                    defer { state.events = [] }
                    return state.events
                }
                if state.isClosed { return [.closed(code: nil)] }
                state.receiver = continuation
                return nil
            }
            if let events { continuation.resume(returning: events) }
        }
    }
}
