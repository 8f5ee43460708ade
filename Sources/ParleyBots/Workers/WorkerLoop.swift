import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What `parley bots worker` does: the part of a fleet that `WorkerProcess` has in another process.
package enum WorkerLoop {
    /// Carries out orders from standard input until that ends: the first line is a `WorkerTask`, each of the others a
    /// `WorkerCommand`. Answers each with a `WorkerReport` on standard output.
    package static func run() async throws {
        // Ctrl-C goes to all processes of a terminal; what it means is the fleet's to say.
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
