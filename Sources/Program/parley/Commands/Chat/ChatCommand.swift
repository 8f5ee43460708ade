import ArgumentParser
import Foundation
import Logging
import ParleyClient
import ParleyTerminal

/// `parley chat`: a client for the terminal and for scripts.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat in this terminal, or send and receive from scripts.",
        discussion: """
            The command asks for a name and a password, offers to create an account, and remembers the session. Press F1 \
            for the keys.

            With --plain or --json, each line of standard input is sent to the thread of --room or --direct, and the \
            messages of the thread are printed. A line that begins with / is a command; // sends a text that begins with \
            /. At the end of the input, the command waits until everything is stored. The exit code is 0, or 1 if a \
            message was not sent. Scripts pass a password in PARLEY_CHAT_PASSWORD or a token in PARLEY_CHAT_TOKEN. See \
            docs/terminal.md.
            """)

    @Argument(help: "URL of the server.")
    var server = "http://127.0.0.1:8080"

    @Option(help: "Name of the user (default: ask).")
    var user: String?

    @Option(help: "Title of a room to open. The room is joined, and created if it does not exist.")
    var room: String?

    @Option(help: "Name of a user to chat with.")
    var direct: String?

    @Flag(help: "Print messages as lines of text instead of a screen.")
    var plain = false

    @Flag(help: "Print messages and states as JSON, one object per line.")
    var json = false

    @Flag(help: "Continue to print messages after the end of standard input. With --plain or --json.")
    var follow = false

    @Option(
        help: """
            Timeout for the server in seconds, at the start for the login and the thread, and at the end until \
            everything is stored. 0 waits without a limit. With --plain or --json.
            """)
    var wait = 30

    @Flag(help: "Create the account without asking if the name is free.")
    var signUp = false

    @Flag(help: "Store neither the session nor messages on this machine.")
    var memory = false

    @Flag(help: "End the session, remove it and the stored messages from this machine, and exit.")
    var logOut = false

    @Flag(help: "Disable colors, as NO_COLOR does.")
    var noColor = false

    func validate() throws {
        guard !(plain && json) else { throw ValidationError("--plain and --json exclude each other") }
        guard room == nil || direct == nil else { throw ValidationError("--room and --direct exclude each other") }
        guard wait >= 0 else { throw ValidationError("--wait is a number of seconds") }
        guard !(plain || json) || room != nil || direct != nil || logOut else {
            throw ValidationError("--plain and --json need a thread: --room TITLE or --direct USER")
        }
        guard !(logOut && memory) else { throw ValidationError("--log-out and --memory exclude each other") }
    }

    func run() async throws {
        // Sessions and messages are for the user alone.
        umask(0o077)
        do {
            try await chat()
        } catch let failure as ChatFailure {
            // It may contain what the server has said.
            StandardError.print("parley chat: \(SafeText.lines("\(failure)"))")
            throw ExitCode(failure.code)
        }
    }

    private func chat() async throws {
        let environment = ProcessInfo.processInfo.environment
        let server = try ChatServer(server)
        let hasLines = plain || json
        let limit: Duration? = wait == 0 ? nil : .seconds(wait)
        let login = ChatLogin(
            server: server, environment: environment, signsUp: signUp, wait: hasLines ? limit : nil)
        if logOut { return try await login.logOut(user) }
        guard hasLines || !TerminalDevice.isUsable(environment) else {
            return try await showScreen(login, environment)
        }
        guard let target else {
            throw ChatFailure(
                "this is no terminal that can show a screen: use --plain or --json, with --room or --direct", code: 64)
        }
        let session = try await login.open(user: user, keeps: !memory)
        let lines = ChatLines(
            client: try open(session), session: session, target: target, format: json ? .json : .plain,
            follows: follow, wait: limit)
        let code = try await lines.run()
        if code != 0 { throw ExitCode(code) }
    }

    /// Shows the screen; logs in again when the session was ended.
    private func showScreen(_ login: ChatLogin, _ environment: [String: String]) async throws {
        let hasColors = !noColor && (environment["NO_COLOR"] ?? "").isEmpty
        while true {
            let session = try await login.open(user: user, keeps: !memory)
            let terminal = ChatTerminal(
                client: try open(session), session: session, target: target, hasColors: hasColors)
            StandardError.print("\(session.user): \(try await terminal.run()).")
            guard session.isRenewable else { throw ExitCode(1) }
            session.forget()
        }
    }

    private var target: ChatTarget? { direct.map { .direct($0) } ?? room.map { .room($0) } }

    private func open(_ session: TerminalSession) throws -> ChatClient {
        var configuration = ChatConfiguration(
            server: session.server.url, storage: session.folder.map { .file($0.databasePath) } ?? .inMemory,
            credentials: session.provider)
        configuration.logger = Logger(label: "parley.client") { _ in SwiftLogNoOpLogHandler() }
        do throws(ChatError) {
            return try ChatClient(configuration: configuration)
        } catch .storageInUse {
            throw ChatFailure(
                """
                \(session.user) is already in use by another parley chat on this machine. Close that one, choose \
                another --user, or use --memory, which keeps nothing.
                """)
        } catch {
            throw ChatFailure("\(error)")
        }
    }
}

/// The reason that `parley chat` ends, as shown on standard error.
struct ChatFailure: Error, CustomStringConvertible {
    let description: String
    var code: Int32 = 1

    init(_ description: String, code: Int32 = 1) {
        self.description = description
        self.code = code
    }
}
