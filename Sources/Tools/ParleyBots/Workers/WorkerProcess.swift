import Foundation
import NIOCore
import NIOPosix

/// Bots in another process of this program, controlled by lines on its standard input and answering by lines on its
/// standard output. It ends when its input does: with this process, however that ends.
///
/// The channel's handler is bound to its event loop; the process is only retained.
final class WorkerProcess: LoadWorker {
    private let process: Process
    private let channel: any Channel
    private let number: Int

    private init(_ process: Process, _ channel: any Channel, number: Int) {
        self.process = process
        self.channel = channel
        self.number = number
    }

    /// Starts `task.count` processes and creates their bots; returns when those are ready to connect.
    /// - Parameter program: the executable that has the command `bots worker`.
    /// - Throws: `LoadGeneratorError`, or `PlanError` with a worker's error.
    static func start(_ task: WorkerTask, program: String, on loop: any EventLoop) async throws -> [any LoadWorker] {
        // Writing to a worker that has ended then fails with an error.
        signal(SIGPIPE, SIG_IGN)
        var workers: [WorkerProcess] = []
        do {
            for number in 0..<task.count { workers.append(try await open(number, program: program, on: loop)) }
            try await withThrowingTaskGroup(of: WorkerReport.self) { group in
                for worker in workers {
                    var task = task
                    task.number = worker.number
                    group.addTask { [task] in try await worker.call(task) }
                }
                for try await report in group {
                    if case .failed(let reason) = report { throw PlanError(reason) }
                }
            }
        } catch {
            for worker in workers { try? await worker.channel.close() }
            throw error
        }
        return workers
    }

    private static func open(_ number: Int, program: String, on loop: any EventLoop) async throws -> WorkerProcess {
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["bots", "worker"]
        (process.standardInput, process.standardOutput) = (input, output)
        do { try process.run() } catch {
            throw LoadGeneratorError(description: "\(program) cannot be started as a worker: \(error)")
        }
        // Copies that the channel owns and closes; the pipes' own descriptors are closed with the pipes.
        let reading = fcntl(output.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        let writing = fcntl(input.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        try? output.fileHandleForReading.close()
        try? input.fileHandleForWriting.close()
        let channel = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(LineDecoder()), WorkerCalls(number: number))
                }
            }
            .takingOwnershipOfDescriptors(input: reading, output: writing).get()
        return WorkerProcess(process, channel, number: number)
    }

    func carryOut(_ order: WorkerCommand) async throws -> WorkerReport {
        let report = try await call(order)
        if case .tearDown = order { try? await channel.close() }
        return report
    }

    private func call(_ request: some Encodable & Sendable) async throws -> WorkerReport {
        let reply = channel.eventLoop.makePromise(of: ByteBuffer.self)
        let call = WorkerCalls.Call(line: try JSONLine.write(request), reply: reply)
        channel.writeAndFlush(call).whenFailure { _ in reply.fail(WorkerCalls.ended(self.number)) }
        return try JSONLine.read(try await reply.futureResult.get())
    }
}
