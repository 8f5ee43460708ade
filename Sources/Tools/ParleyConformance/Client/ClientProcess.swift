import Foundation
import NIOCore
import NIOPosix
import ParleyJSON
import Synchronization

/// The program under test. It is started by `sh -c`, receives commands as lines on its standard input, and reports what
/// it shows as lines of JSON on its standard output. It is terminated at the end of the scenario.
final class ClientProcess {
    /// Whether the end of the process is expected. A mutex guards the state.
    private final class Ending: Sendable {
        let isWanted = Mutex(false)
    }

    private let process: Process
    private let channel: any Channel
    private let ending: Ending
    /// Whether the process has a group of its own.
    private let leadsGroup: Bool

    private init(_ process: Process, _ channel: any Channel, _ ending: Ending, leadsGroup: Bool) {
        self.process = process
        self.leadsGroup = leadsGroup
        self.channel = channel
        self.ending = ending
    }

    /// - Parameter note: Called with the client's reports, and with its end.
    static func start(
        _ command: String, environment: [String: String], on loop: any EventLoop,
        note: @escaping @Sendable (ScenarioEvent) -> Void
    ) async throws -> ClientProcess {
        // Writing to a client that has ended then fails with an error.
        signal(SIGPIPE, SIG_IGN)
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardInput, process.standardOutput) = (input, output)
        let ending = Ending()
        process.terminationHandler = { process in
            guard !ending.isWanted.withLock({ $0 }) else { return }
            note(.clientEnded("exit code \(process.terminationStatus)"))
        }
        try process.run()
        let leadsGroup = getpgid(process.processIdentifier) == process.processIdentifier
        // These copies belong to the channel, which closes them. The originals are closed with their pipes.
        let reading = fcntl(output.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        let writing = fcntl(input.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        try? output.fileHandleForReading.close()
        try? input.fileHandleForWriting.close()
        let channel = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ShownLines(note))
                }
            }
            .takingOwnershipOfDescriptors(input: reading, output: writing).get()
        return ClientProcess(process, channel, ending, leadsGroup: leadsGroup)
    }

    /// Writes a line to the client's standard input.
    func write(_ line: String) {
        channel.writeAndFlush(ByteBuffer(string: line + "\n"), promise: nil)
    }

    /// Terminates the client: closes its input, then ends the process after at most two seconds.
    func end() async {
        ending.isWanted.withLock { $0 = true }
        try? await channel.close()
        // The command may have started other processes, which are in its group.
        let id = process.processIdentifier
        guard leadsGroup || process.isRunning else { return }
        let target = leadsGroup ? -id : id
        kill(target, SIGTERM)
        let limit = ContinuousClock.now + .seconds(2)
        while kill(target, 0) == 0, ContinuousClock.now < limit { try? await Task.sleep(for: .milliseconds(20)) }
        kill(target, SIGKILL)
    }
}

/// Reads the reports of a client, and ignores lines that it cannot decode.
final class ShownLines: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The maximum length of a line in bytes. Longer lines are ignored.
    static let maximumLine = 1 << 20

    private let note: @Sendable (ScenarioEvent) -> Void
    private var line: [UInt8] = []
    private var isTooLong = false

    init(_ note: @escaping @Sendable (ScenarioEvent) -> Void) { self.note = note }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for byte in unwrapInboundIn(data).readableBytesView {
            if byte == UInt8(ascii: "\n") {
                if !isTooLong, let event = Self.event(line) { note(event) }
                line.removeAll(keepingCapacity: true)
                isTooLong = false
            } else if line.count < Self.maximumLine {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    static func event(_ line: [UInt8]) -> ScenarioEvent? {
        guard let tree = try? JSONTree(parsing: line), let id = tree["id"]?.text else { return nil }
        switch tree["type"]?.text {
        case "message":
            return .shown(id: id, clientID: tree["client_id"]?.text, text: tree["text"]?.text ?? "")
        case "removed": return .removed(id: id)
        default: return nil
        }
    }
}
