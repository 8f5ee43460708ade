import NIOCore
import Synchronization

/// The open connections of the line door, so that they can be closed with it.
final class LineConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// - Returns: `false` if the door is closed.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isOpen = state.withLock { state in
            if !state.isClosed { state.channels[id] = channel }
            return !state.isClosed
        }
        if isOpen {
            channel.closeFuture.whenComplete { [self] _ in _ = state.withLock { $0.channels.removeValue(forKey: id) } }
        }
        return isOpen
    }

    /// Closes them all, those too that are just being accepted, and waits until they are.
    func close() async {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in open { channel.close(promise: nil) }
        for channel in open { try? await channel.closeFuture.get() }
    }
}
