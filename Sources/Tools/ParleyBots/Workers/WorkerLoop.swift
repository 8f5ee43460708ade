import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The implementation of `parley bots worker`: the process behind a `WorkerProcess`.
package enum WorkerLoop {
    /// Carries out commands from standard input until its end: the first line is a `WorkerTask`, each further one a
    /// `WorkerCommand`. Writes a `WorkerReport` for each to standard output.
    package static func run() async throws {
        // Ctrl-C goes to all processes of a terminal; the load generator handles it.
        signal(SIGINT, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        let channel = try await NIOPipeBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .takingOwnershipOfDescriptors(input: STDIN_FILENO, output: STDOUT_FILENO) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder()))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var worker: LocalWorker?
            for try await line in inbound {
                let report: WorkerReport
                do {
                    if let worker {
                        report = try await worker.carryOut(try JSONLine.read(line))
                    } else {
                        let task = try JSONLine.read(line, as: WorkerTask.self)
                        worker = try await LocalWorker.make(task, population: task.makeWorld())
                        report = .done
                    }
                } catch {
                    report = .failed("\(error)")
                }
                try await outbound.write(try JSONLine.write(report))
            }
        }
    }
}
