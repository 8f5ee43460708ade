import ParleyTestServers
import ParleyTestSupport
import Testing

/// Two gateways, a persister and a Django on the same Redis hosts, with two people: Alice, whose socket is on the first
/// gateway, and Bob, whose socket is on the second.
///
/// The processes die with the tests. Belongs to one task.
struct DjangoFixture {
    /// Who is subscribed to a group's channel when all are there: two gateways and Django.
    static let listeners = 3

    let redis: [RedisServer]
    let persister: ParleyProcess
    let gateways: [ParleyProcess]
    let peer: DjangoPeer
    /// Their ids are the names of groups.
    let threads: [String]
    let users: [TestUser]
    let alice: TestSocket
    let bob: TestSocket
    /// For further processes of Django.
    let djangoEnvironment: [String: String]

    /// - Parameter rooms: titles; both people are in each. A room more is made, a few at most, until each host has one.
    static func start(_ setup: DjangoSetup = DjangoSetup(), rooms: [String] = ["one"]) async throws -> DjangoFixture {
        var redis: [RedisServer] = []
        var options = RedisServer.Options()
        options.keepsData = true
        for _ in 0..<setup.hosts { redis.append(try await RedisServer.start(options)) }
        let urls = redis.map(\.url)
        var forDjango = setup.environment(keys: setup.keys.django)
        forDjango["PARLEY_REDIS"] = urls.joined(separator: ",")
        let environmentOfDjango = forDjango
        async let starting = DjangoPeer.start(environment: environmentOfDjango)

        let postgres = try await SharedPostgres.server()
        let database = postgres.url(database: try await postgres.makeDatabase())
        let own = [
            "PARLEY_SECRET": "a secret of the tests, long enough for them", "PARLEY_LOG_LEVEL": "notice",
            "PARLEY_LIMITS_SENDS_PER_SECOND": "0",
        ]
        let environment = setup.environment(keys: setup.keys.parley).merging(own) { $1 }
        @Sendable func start(
            _ role: String, named name: String, hasLineListener: Bool = false
        ) async throws -> ParleyProcess {
            try await ParleyProcess.start(
                role, database: database, arguments: ["--node", name] + urls.flatMap { ["--redis", $0] },
                environment: environment, hasLineListener: hasLineListener)
        }
        // The persister makes the tables.
        let persister = try await start("persister", named: "persister1")
        async let first = start("gateway", named: "gateway1", hasLineListener: true)
        async let second = start("gateway", named: "gateway2")
        let gateways = [try await first, try await second]
        let peer = try await starting

        let alice = try await TestUser.signUp("alice", port: persister.port)
        let bob = try await TestUser.signUp("bob", port: persister.port)
        var threads: [String] = []
        var hosts: Set<Int> = []
        for title in rooms + (1...20).map({ "spare \($0)" }) {
            if threads.count >= rooms.count, hosts.count == setup.hosts { break }
            let thread = try await alice.join(title)
            _ = try await bob.join(title)
            threads.append(thread)
            if let host = try await peer.host(of: thread) { hosts.insert(host) }
        }
        return DjangoFixture(
            redis: redis, persister: persister, gateways: gateways, peer: peer, threads: threads, users: [alice, bob],
            alice: try await TestSocket.connect(port: gateways[0].port, headers: alice.cookieHeader),
            bob: try await TestSocket.connect(port: gateways[1].port, headers: bob.cookieHeader),
            djangoEnvironment: environmentOfDjango)
    }

    func stop() async throws {
        try await peer.kill()
        for process in gateways + [persister] { try await process.kill() }
        for server in redis { try await server.kill() }
    }

    /// What has been logged at last, for a failure's message.
    func logs() -> String {
        ((gateways + [persister]).map { $0.logText() } + [peer.log]).map { $0.suffix(2000) }
            .joined(separator: "\n--\n")
    }

    /// The sum of a counter over both gateways.
    func count(_ metric: String) async throws -> Int {
        var sum = 0.0
        for gateway in gateways { sum += try await gateway.metrics().sum(metric) ?? 0 }
        return Int(sum)
    }

    // MARK: Exchanges

    /// Sends `text` on a socket.
    /// - Returns: the message, as everybody has it: both sockets, and the consumer if `reachesDjango`.
    @discardableResult
    func say(
        _ text: String, on socket: TestSocket, in thread: String, reachesDjango: Bool = true
    ) async throws -> JSONValue {
        try await socket.send(json: ["message": ["id": .string(thread), "text": .string(text)]])
        let message = try await alice.nextJSON()
        try #require(message["text"]?.string == text, "the text")
        try #require(try await bob.nextJSON() == message, "what Bob sees")
        if reachesDjango { try #require(try await peer.next(in: thread) == message, "what Django's consumer sees") }
        return message
    }

    /// Sends `message` by Django's `group_send` and demands that both sockets show it.
    func groupSend(
        _ message: [String: JSONValue], to thread: String, type: String = "chat.message", reachesDjango: Bool = true
    ) async throws {
        let event: JSONValue = ["type": .string(type), "message": .object(message)]
        // A connection that has died since is detected by the send that fails on it.
        guard try await eventually({ try await peer.groupSend(event, to: thread) }) else {
            throw DjangoPeer.Unexpected(description: "group_send goes on failing")
        }
        var shown = message
        shown["type"] = "message"
        shown["seq"] = nil
        try #require(try await alice.nextJSON() == .object(shown), "what Alice sees of Django's")
        try #require(try await bob.nextJSON() == .object(shown), "what Bob sees of Django's")
        if reachesDjango { try #require(try await peer.next(in: thread) == .object(message), "Django's own") }
    }
}
