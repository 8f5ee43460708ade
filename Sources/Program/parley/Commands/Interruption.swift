import Foundation
import UnixSignals

/// Lets a signal end one part of a command instead of the whole.
enum Interruption {
    /// Runs `body`, and cancels it at SIGINT or SIGTERM.
    /// - Parameters:
    ///   - hangsUp: Whether SIGHUP cancels it as well.
    ///   - grace: How long after the signal the process ends with exit code 1, unless it has ended before: `body` may be
    ///     blocked in a system call. `nil` waits for it.
    static func ends(
        hangsUp: Bool = false, within grace: Duration? = nil, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let trapped: [UnixSignal] = hangsUp ? [.sighup, .sigint, .sigterm] : [.sigint, .sigterm]
            let signals = await UnixSignalsSequence(trapping: trapped)
            group.addTask {
                for await _ in signals {
                    if let grace { end(after: grace) }
                    return
                }
            }
            group.addTask { try await body() }
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
        // The next one ends the program, as usual.
        if hangsUp { signal(SIGHUP, SIG_DFL) }
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }

    /// By a thread of its own, since tasks may have none left.
    private static func end(after grace: Duration) {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: grace / .seconds(1))
            _exit(1)
        }
    }
}
