import NIOCore
import Synchronization

/// The open connections of the line door, so that they can be closed with it.
final class LineConnections: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { [self] _ in channels.withLock { $0[id] = nil } }
    }

    /// Closes them all and waits until they are.
    func close() async {
        let open = channels.withLock { Array($0.values) }
        for channel in open { channel.close(promise: nil) }
        for channel in open { try? await channel.closeFuture.get() }
    }
}
