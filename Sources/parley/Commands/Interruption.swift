import UnixSignals

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Lets Ctrl-C end one part of a command instead of the whole.
enum Interruption {
    /// Runs `body`, and cancels it at SIGINT or SIGTERM.
    static func ends(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
            group.addTask { for await _ in signals { return } }
            group.addTask { try await body() }
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
        // The next one ends the program, as usual.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }
}
