import NIOCore
import ParleyModel
import Synchronization

/// Readers of the ingest stream that found nothing, and the one question that is asked for all of a host's at a time.
///
/// Owned by a lock. While somebody waits, each host is asked every few milliseconds by one XREAD over the partitions
/// in question: a blocking read would need a connection of its own, and could not take in a further reader.
final class IngestWaits: Sendable {
    private struct Wait {
        let partition: Int
        let offset: String
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var last: UInt64 = 0
        var isAsking = false
    }

    /// After so many fruitless questions all readers look for themselves: the stream may have begun anew.
    private static var patience: Int { 100 }

    private let connection: CommandConnection
    private let names: ChannelNames
    private let interval: TimeAmount
    private let state = Mutex(State())

    init(_ connection: CommandConnection, _ names: ChannelNames, milliseconds: Int64) {
        self.connection = connection
        self.names = names
        interval = .milliseconds(milliseconds)
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
                    // The flag is set before the handler below runs, and that takes the lock: one of the two sees it.
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                        return false
                    }
                    state.waits[id] = Wait(partition: partition, offset: offset, continuation: continuation)
                    defer { state.isAsking = true }
                    return !state.isAsking
                }
                if isFirst { askLater(0) }
            }
        } onCancel: {
            state.withLock { $0.waits.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    private func askLater(_ fruitless: Int) {
        _ = connection.eventLoop.scheduleTask(in: interval) { [weak self] in self?.ask(fruitless) }
    }

    private func ask(_ fruitless: Int) {
        var offsets: [Int: String] = [:]
        let isAnybodyThere = state.withLock { state in
            for wait in state.waits.values { offsets[wait.partition] = wait.offset }
            state.isAsking = !state.waits.isEmpty
            return state.isAsking
        }
        guard isAnybodyThere else { return }
        if fruitless >= Self.patience {
            wake { _ in true }
            return askLater(0)
        }
        let partitions = Array(offsets.keys)
        connection.send(
            RESPCommand(
                ["XREAD", "COUNT", "1", "STREAMS"] + partitions.map { names.ingest($0) }
                    + partitions.map { offsets[$0] ?? "0" })
        ) { [weak self] result in
            guard let self else { return }
            guard case .success(.array(let streams)) = result else { return self.askLater(fruitless + 1) }
            let ready = Set(streams.compactMap { $0.elements?.first?.text })
            wake { ready.contains(self.names.ingest($0)) }
            askLater(0)
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
