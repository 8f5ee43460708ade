import Synchronization

/// What has arrived on a socket and was not taken yet. Guarded by a mutex.
///
/// The socket stops reading when `append` returns `false`, and goes on when `receive` has taken everything: so a client
/// that is busy does not fill its memory, and the server's `behind` tells it what it has missed.
package final class IncomingEvents: Sendable {
    /// More elements than this stop the reading.
    static let highMark = 4_096

    private typealias Receiver = CheckedContinuation<[SocketEvent], Never>

    private struct State {
        var events: [SocketEvent] = []
        var isClosed = false
        var receiver: Receiver?
    }

    private let state = Mutex(State())

    package init() {}

    /// - Returns: Whether there is room for more.
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

    /// All that has arrived, as soon as there is something; `closed` for ever after the end.
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
