import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport

/// `examples/serve.js`: a folder on the origin of a server. It ends with this object.
final class ExampleServer: Sendable {
    let baseURL: String
    private let child: ChildProcess
    private let directory: TemporaryDirectory

    private init(baseURL: String, child: ChildProcess, directory: TemporaryDirectory) {
        (self.baseURL, self.child, self.directory) = (baseURL, child, directory)
    }

    /// Shows a folder, and forwards all other requests to `parley`.
    static func start(
        _ folder: String, before parley: ParleyProcess, port: Int = FreePort.next()
    ) async throws -> ExampleServer {
        let directory = try TemporaryDirectory()
        let log = directory.path + "/log"
        let child = try await ChildProcess.start(
            "node", [Repository.url("examples/serve.js").path, folder, parley.baseURL, "\(port)"],
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], in: directory.path, output: log)
        let isReady = try await eventually(within: .seconds(20)) {
            (try? await HTTPClient(port: port).send("GET", "/", within: .seconds(2)))?.status == 200
        }
        let text = try? String(contentsOfFile: log, encoding: .utf8)
        guard isReady else { throw TimedOut("the page of \(folder): \(text ?? "")", after: .seconds(20)) }
        return ExampleServer(baseURL: "http://127.0.0.1:\(port)", child: child, directory: directory)
    }
}

/// The page of `examples/web` or `examples/react` in a browser, in the words of its user.
struct ExamplePage {
    static let password = "correct horse"

    let browser: Browser
    let baseURL: String

    /// Opens the page, and logs in to an account.
    func logIn(_ name: String) async throws {
        try await browser.open(baseURL)
        try await enter(name)
    }

    /// Logs in on the page that is open.
    func enter(_ name: String) async throws {
        try await browser.type(name, into: "[name=username]")
        try await browser.type(Self.password, into: "[name=password]")
        try await browser.click("#login button")
        try await browser.wait(for: "document.getElementById('composer')?.hidden === false")
    }

    func say(_ text: String) async throws { try await browser.type(text + "\u{E007}", into: "[name=text]") }

    /// Waits until exactly these lines are shown, such as `alice: Hello [stored]`.
    func sees(_ lines: [String]) async throws {
        let shown = "[...document.querySelectorAll('#messages li')].map((each) => each.textContent).join('\\n')"
        let expected = JSONValue.string(lines.joined(separator: "\n")).text
        try await browser.wait(for: "\(shown) === \(expected)", within: .seconds(40))
    }
}

extension ParleyProcess {
    /// The number of sockets that were opened since the start.
    func openedSockets() async throws -> Int {
        Int(try await metrics().sum("parley_handshakes_total", where: "status=\"101\"") ?? 0)
    }
}
