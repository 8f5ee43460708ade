package import ParleyModel
import Synchronization

/// A log that records what it has to forget.
package final class ForgottenSends: SendMemory {
    private let state = Mutex<(clientIDs: Set<String>, isAway: Bool)>(([], false))

    package init() {}

    package var clientIDs: Set<String> { state.withLock { $0.clientIDs } }
    package func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    package func withdraw(_ message: MessageID, from thread: ThreadID) async throws(AppendError) {}

    package func forget(_ clientIDs: [String], of user: UserID) async throws(AppendError) {
        let isDone = state.withLock { state in
            if !state.isAway { state.clientIDs.formUnion(clientIDs) }
            return !state.isAway
        }
        if !isDone { throw .unavailable("told to be away") }
    }
}
