import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport

/// Somebody who uses ParleyClient, with a database that outlives the client.
struct ClientPerson {
    let name: String
    let session: ChatCredentials
    let directory: TemporaryDirectory
    /// The port of the server, or of a proxy before it.
    let port: Int

    static func signUp(_ name: String, port: Int, through proxy: Int? = nil) async throws -> ClientPerson {
        let account = try ChatAccount(server: url(port))
        let session = try await account.signUp(username: name, password: "correct horse")
        return ClientPerson(name: name, session: session, directory: try TemporaryDirectory(), port: proxy ?? port)
    }

    /// The same person on another device.
    static func logIn(_ name: String, port: Int) async throws -> ClientPerson {
        let session = try await ChatAccount(server: url(port)).logIn(username: name, password: "correct horse")
        return ClientPerson(name: name, session: session, directory: try TemporaryDirectory(), port: port)
    }

    /// A client that is connected.
    func connected() async throws -> ChatClient {
        let client = try open()
        try await client.connect()
        return client
    }

    private static func url(_ port: Int) -> URL {
        URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/")
    }

    /// A client on the person's database, which must not be open.
    func open(storage: ChatConfiguration.Storage? = nil, seed: UInt64? = nil) throws -> ChatClient {
        var configuration = ChatConfiguration(
            server: Self.url(port), credentials: session, storage: storage ?? .file(directory.path + "/chat.db"))
        configuration.seed = seed
        configuration.reconnect.base = .milliseconds(100)
        configuration.reconnect.cap = .seconds(1)
        return try ChatClient(configuration: configuration)
    }
}

extension ChatClient {
    /// Starts the client, and waits until it is connected.
    func connect(within limit: Duration = .patience) async throws {
        await start()
        guard try await eventually(within: limit, { await self.state == .connected }) else {
            throw TimedOut("connection", after: limit)
        }
    }
}

extension MessageCollection {
    /// The first snapshot that a test waits for.
    func first(
        within limit: Duration = .patience, where isWanted: @escaping @Sendable (ChatUpdate<ChatMessage>) -> Bool
    ) async throws -> ChatUpdate<ChatMessage> {
        try await withThrowingTaskGroup(of: ChatUpdate<ChatMessage>.self) { group in
            group.addTask {
                for await update in self where isWanted(update) { return update }
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: limit)
                let shown = await self.current().items.suffix(20).map { "\($0.seq ?? 0) \($0.text) \($0.state)" }
                throw TimedOut("snapshot; there is \(shown)", after: limit)
            }
            defer { group.cancelAll() }
            guard let update = try await group.next() else { throw CancellationError() }
            return update
        }
    }
}
