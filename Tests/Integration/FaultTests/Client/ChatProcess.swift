import Foundation
import ParleyTestServers
import ParleyTestSupport
import Synchronization

/// `parley chat --json` of one user in one room, which may be killed and started again on what it has kept. The process is
/// protected by a mutex; calls that change it belong to one task at a time.
final class ChatProcess: Sendable {
    /// A line that it has printed about a message.
    struct Line: Sendable {
        let id: String
        let seq: Int?
        let text: String
        let sender: String
        let state: String

        /// - Returns: `nil` for other lines.
        init?(_ object: JSONValue) {
            guard object["type"]?.string == "message", let id = object["id"]?.string else { return nil }
            self.id = id
            seq = object["seq"]?.int
            text = object["text"]?.string ?? ""
            sender = object["sender"]?.string ?? ""
            state = object["state"]?.string ?? ""
        }
    }

    private let directory: TemporaryDirectory
    private let arguments: [String]
    private let environment: [String: String]
    private let state = Mutex(State())

    private struct State {
        var child: ChildProcess?
        /// The descriptor of its standard input.
        var input: Int32?
        var starts = 0
    }

    init(user: TestUser, room: String, port: Int) throws {
        directory = try TemporaryDirectory()
        arguments = ["chat", "http://127.0.0.1:\(port)", "--user", user.name, "--room", room, "--json", "--follow"]
        environment = ParleyBinary.environment([
            "XDG_STATE_HOME": directory.path, "PARLEY_CHAT_PASSWORD": user.password,
        ])
    }

    private var starts: Int { state.withLock { $0.starts } }
    private var output: String { directory.path + "/output\(starts)" }

    func start() async throws {
        state.withLock { $0.starts += 1 }
        let pipe = directory.path + "/input\(starts)"
        // Opened for both, so that neither side waits for the other.
        guard mkfifo(pipe, 0o600) == 0, case let input = open(pipe, O_RDWR | O_CLOEXEC), input >= 0 else {
            throw POSIXError(.EIO)
        }
        state.withLock { $0.input = input }
        let child = try await ChildProcess.start(
            "bash", ["-c", #"exec "$0" "$@" <"$INPUT" 2>"$INPUT.errors""#, try ParleyBinary.path()] + arguments,
            environment: environment.merging(["INPUT": pipe]) { _, new in new }, in: directory.path, output: output)
        state.withLock { $0.child = child }
    }

    /// SIGKILL: it writes nothing any more.
    func kill() async throws {
        let (child, input) = state.withLock { ($0.child, $0.input) }
        child?.signal(SIGKILL)
        _ = try await child?.exit(within: .patience)
        if let input { close(input) }
        state.withLock { $0.input = nil }
    }

    func write(_ line: String) {
        guard let input = state.withLock({ $0.input }) else { return }
        let bytes = Array("\(line)\n".utf8)
        _ = Foundation.write(input, bytes, bytes.count)
    }

    /// What it has printed about messages since its start.
    func lines() -> [Line] { objects().compactMap { Line($0) } }

    /// Messages as it shows them now, in the order of the thread; those that are not accepted are last.
    func shown() -> [Line] {
        var newest: [String: Line] = [:]
        for object in objects() {
            if let line = Line(object) {
                newest[line.id] = line
            } else if object["type"]?.string == "removed", let id = object["id"]?.string {
                newest[id] = nil
            }
        }
        return newest.values.sorted { ($0.seq ?? .max, $0.id) < ($1.seq ?? .max, $1.id) }
    }

    private func objects() -> [JSONValue] {
        let data = FileManager.default.contents(atPath: output) ?? Data()
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue(parsing: Array($0)) }
    }

    /// How it ended and what it has said, for a failure's message.
    var report: String {
        let errors = (try? String(contentsOfFile: directory.path + "/input\(starts).errors", encoding: .utf8)) ?? ""
        let end = state.withLock { $0.child }?.exitStatus.map { "\($0)" } ?? "running"
        return "\(end) \(errors.suffix(500)) \(shown().suffix(30))"
    }
}
