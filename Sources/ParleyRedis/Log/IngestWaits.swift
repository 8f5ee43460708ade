import NIOCore
import ParleyModel
import Synchronization

/// The readers of ingest streams that wait for entries, served by one poll per host.
///
/// Protected by a lock. While readers wait, each host is polled at an `IngestPace` by one XREAD over their partitions.
/// A blocking read would need a connection of its own and could not include further readers.
final class IngestWaits: Sendable {
    private struct Wait {
        let partition: Int
        let offset: String
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var last: UInt64 = 0
        var isRequesting = false
        var pace: IngestPace
    }

    private let connection: CommandConnection
    private let names: ChannelNames
    private let state: Mutex<State>

    init(_ connection: CommandConnection, _ names: ChannelNames, milliseconds: Int64) {
        self.connection = connection
        self.names = names
        state = Mutex(State(pace: IngestPace(milliseconds: milliseconds)))
    }

    /// Waits until a partition of this host may have an entry above `offset`.
    func wait(for partition: Int, after offset: String) async throws {
        let id = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isFirst = state.withLock { state in
                    // Cancellation sets the flag before the handler below takes the lock, so one of the two sees it.
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                        return false
                    }
                    state.waits[id] = Wait(partition: partition, offset: offset, continuation: continuation)
                    defer { state.isRequesting = true }
                    return !state.isRequesting
                }
                if isFirst { pollLater() }
            }
        } onCancel: {
            state.withLock { $0.waits.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func pollLater() {
        let pause = state.withLock { $0.pace.pause }
        _ = connection.eventLoop.scheduleTask(in: .milliseconds(pause)) { [weak self] in self?.poll() }
    }

    private func poll() {
        var offsets: [Int: String] = [:]
        let (hasReaders, isTurn) = state.withLock { state in
            for wait in state.waits.values { offsets[wait.partition] = wait.offset }
            state.isRequesting = !state.waits.isEmpty
            return (state.isRequesting, state.isRequesting && state.pace.ask())
        }
        guard hasReaders else { return }
        if isTurn {
            wake { _ in true }
            return pollLater()
        }
        let partitions = Array(offsets.keys)
        connection.send(
            RESPCommand(
                ["XREAD", "COUNT", "1", "STREAMS"] + partitions.map { names.ingest($0) }
                    + partitions.map { offsets[$0] ?? "0" })
        ) { [weak self] result in
            guard let self else { return }
            if case .success(.array(let streams)) = result {
                let ready = Set(streams.compactMap { $0.elements?.first?.text })
                state.withLock { $0.pace.found() }
                wake { ready.contains(self.names.ingest($0)) }
            }
            pollLater()
        }
    }

    private func wake(_ isReady: (Int) -> Bool) {
        let woken = state.withLock { state in
            let woken = state.waits.filter { isReady($0.value.partition) }
            for id in woken.keys { state.waits[id] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
