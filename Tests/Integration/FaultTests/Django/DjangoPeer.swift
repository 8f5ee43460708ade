import Foundation
import ParleyTestServers
import ParleyTestSupport
import Synchronization

/// A process with consumers of a real Django Channels; see Tests/Django/peer.py for its commands and reports.
///
/// One task at a time sends it commands. Reports of consumers are kept behind a mutex until they are taken.
final class DjangoPeer: Sendable {
    /// The process sent an unexpected report, or none.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private let child: ChildProcess
    private let lines: LineClient
    private let directory: TemporaryDirectory
    private let untaken = Mutex<[JSONValue]>([])

    private init(child: ChildProcess, lines: LineClient, directory: TemporaryDirectory) {
        self.child = child
        self.lines = lines
        self.directory = directory
    }

    /// Starts the process, which takes about a second.
    /// - Parameter environment: the `PARLEY_…` variables that the settings of the example read.
    static func start(environment: [String: String]) async throws -> DjangoPeer {
        let python = try await DjangoPython.path()
        let directory = try TemporaryDirectory()
        let output = directory.path + "/log"
        let port = FreePort.next()
        let child = try await ChildProcess.start(
            python, [Repository.path + "/Tests/Django/peer.py", "\(port)"],
            environment: ParleyBinary.environment(environment), in: directory.path, output: output)
        var lines: LineClient?
        _ = try await eventually {
            lines = try? await LineClient.connect(port: port)
            return lines != nil || child.exitStatus != nil
        }
        guard let lines else {
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            throw Unexpected(description: "Django did not start\n\(text.suffix(2000))")
        }
        return DjangoPeer(child: child, lines: lines, directory: directory)
    }

    func kill() async throws {
        child.signal(SIGKILL)
        _ = try await child.exit(within: .patience)
    }

    // MARK: Asking

    /// A consumer joins the group of `thread`; returns when `listeners` subscribe to the group's channel.
    func join(_ thread: String, listeners: Int) async throws {
        _ = try await ask(["join": .string(thread)], for: "joined")
        try await waitForListeners(listeners, in: thread)
    }

    func leave(_ thread: String) async throws {
        _ = try await ask(["leave": .string(thread)], for: "left")
    }

    /// The consumer's browser sends `text`.
    func say(_ text: String, in thread: String) async throws {
        _ = try await ask(["say": .string(thread), "text": .string(text)], for: "said")
    }

    /// Django's own `group_send`.
    /// - Returns: whether it went out; it raises once for a connection that has died meanwhile.
    func groupSend(_ event: JSONValue, to thread: String) async throws -> Bool {
        let command: JSONValue = ["group_send": .string(thread), "event": event]
        return try await ask(command, for: "sent", or: "failed")["sent"] != nil
    }

    /// Puts bytes on the group's channel as they are.
    func publish(_ bytes: [UInt8], to thread: String) async throws {
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        _ = try await ask(["publish": .string(thread), "hex": .string(hex)], for: "published")
    }

    /// The index of the host that channels_redis has a group on.
    func host(of thread: String) async throws -> Int? {
        try await ask(["host": .string(thread)], for: "host")["host"]?.int
    }

    func waitForListeners(_ count: Int, in thread: String) async throws {
        var last: Int?
        let are = try await eventually {
            last = try await ask(["listeners": .string(thread)], for: "listeners")["listeners"]?.int
            return last == count
        }
        guard are else { throw Unexpected(description: "\(last ?? -1) listeners instead of \(count)") }
    }

    // MARK: Hearing

    /// The next frame that the consumer of `thread` sends to its browser.
    /// - Throws: ``Unexpected`` if the consumer has ended, `TimedOut`.
    func next(in thread: String) async throws -> JSONValue {
        let told = try await take { $0["got"]?.string == thread || $0["ended"]?.string == thread }
        guard let frame = told["frame"]?.string else { throw Unexpected(description: "a consumer ended: \(told)") }
        return try JSONValue(parsing: frame)
    }

    /// All reports of consumers that have not been taken.
    var rest: [JSONValue] { untaken.withLock { $0 } }

    /// Waits for the answer to a command.
    private func ask(_ command: JSONValue, for responses: String..., or other: String = "") async throws -> JSONValue {
        try await lines.send(line: command.text)
        return try await take { line in (responses + [other]).contains { line[$0] != nil } }
    }

    private func take(where isWanted: (JSONValue) -> Bool) async throws -> JSONValue {
        let kept = untaken.withLock { untaken in
            untaken.firstIndex(where: isWanted).map { untaken.remove(at: $0) }
        }
        if let kept { return kept }
        while true {
            guard let text = try await lines.next() else {
                throw Unexpected(description: "Django has gone\n\(log.suffix(2000))")
            }
            let line = try JSONValue(parsing: text)
            if isWanted(line) { return line }
            untaken.withLock { $0.append(line) }
        }
    }

    /// What the process has logged, such as that a queue was full.
    var log: String { (try? String(contentsOfFile: directory.path + "/log", encoding: .utf8)) ?? "" }
}
