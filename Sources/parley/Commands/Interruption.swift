import UnixSignals

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Lets a signal end one part of a command instead of the whole.
enum Interruption {
    /// Runs `body`, and cancels it at SIGINT or SIGTERM.
    /// - Parameter hangsUp: Whether SIGHUP cancels it as well.
    static func ends(hangsUp: Bool = false, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let trapped: [UnixSignal] = hangsUp ? [.sighup, .sigint, .sigterm] : [.sigint, .sigterm]
            let signals = await UnixSignalsSequence(trapping: trapped)
            group.addTask { for await _ in signals { return } }
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
}
