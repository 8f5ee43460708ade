import Dispatch
import ParleyPostgres

/// Holds connections of a pool until it is opened; only their own threads wait in it.
final class Barrier: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    /// The body of a call: signals the test, and waits until it is released.
    @Sendable func hold(_: PostgresConnection) {
        entered.signal()
        opened.wait()
    }

    /// Waits until `calls` more calls have a connection.
    func waitForCalls(_ calls: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [entered] in
                for _ in 0..<calls { entered.wait() }
                continuation.resume()
            }
        }
    }

    /// Releases as many calls.
    func open(_ calls: Int) {
        for _ in 0..<calls { opened.signal() }
    }
}
