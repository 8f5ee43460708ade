import ParleyTestServers
import ParleyTestSupport

/// A cluster whose Redis hosts and database can be looked through for a text.
struct SecretCluster {
    let redis: [RedisServer]
    let postgres: PostgresServer
    let database: String
    let persister: ParleyProcess
    let gateways: [ParleyProcess]

    /// - Parameter keys: with which the channel layer is encrypted; none: not at all.
    static func start(
        hosts: Int = 1, keys: String? = nil, environment: [String: String] = [:]
    ) async throws -> SecretCluster {
        var options = RedisServer.Options()
        // Compression would hide texts from the DUMP.
        options.arguments = ["--rdbcompression", "no"]
        var redis: [RedisServer] = []
        for _ in 0..<hosts { redis.append(try await RedisServer.start(options)) }
        let postgres = try await PostgresServer.start()
        let database = try await postgres.makeDatabase()
        var settings = [
            "PARLEY_SECRET": "a secret of the tests, long enough for them",
            "PARLEY_API_KEYS": "ops:\(Cluster.apiKey)", "PARLEY_LOG_LEVEL": "notice",
        ].merging(FaultRun.unlimited.merging(environment) { $1 }) { $1 }
        if let keys { settings["PARLEY_CHANNELS_SYMMETRIC_ENCRYPTION_KEYS"] = keys }
        let servers = redis.flatMap { ["--redis", $0.url] }
        func start(_ role: String, _ node: String) async throws -> ParleyProcess {
            try await ParleyProcess.start(
                role, database: postgres.url(database: database),
                arguments: servers + ["--node", node, "--drain-seconds", "1"], environment: settings)
        }
        let persister = try await start("persister", "p1")
        let gateways = [try await start("gateway", "g1"), try await start("gateway", "g2")]
        return SecretCluster(
            redis: redis, postgres: postgres, database: database, persister: persister, gateways: gateways)
    }

    func stop() async throws {
        for process in gateways + [persister] { try await process.kill() }
        for server in redis { try await server.kill() }
        try await postgres.kill()
    }

    // MARK: People

    /// REST as a user, or as the back end.
    func rest(as user: String? = nil) -> HTTPClient {
        var headers: HTTPClient.Headers = [("Authorization", "Bearer \(Cluster.apiKey)")]
        if let user { headers.append(("X-Parley-User", user)) }
        return HTTPClient(port: persister.port, headers: headers)
    }

    func importing(_ lines: [String]) async throws {
        let reply = try await rest().send(
            "POST", "/v1/admin/import", headers: [("Content-Type", "application/x-ndjson")],
            body: Array(lines.joined(separator: "\n").utf8))
        guard reply.status == 200, try reply.json()["errors"]?.array == [] else {
            throw V1Client.Refused(response: try reply.json())
        }
    }

    func client(_ user: String, at gateway: Int = 0) async throws -> V1Client {
        try await V1Client.connect(user, port: gateways[gateway].port)
    }

    // MARK: What is where

    /// Where a text stands: keys of Redis by what they are dumped as, and tables.
    func places(of text: String) async throws -> [String] {
        let script = """
            local found = {}
            for _, key in ipairs(redis.call('KEYS', '*')) do
              if string.find(key, ARGV[1], 1, true) or string.find(redis.call('DUMP', key), ARGV[1], 1, true) then
                found[#found + 1] = key
              end
            end
            return found
            """
        var places: [String] = []
        for (number, server) in redis.enumerated() {
            let keys = try await server.cli("EVAL", script, "0", text).split(separator: "\n")
            places += keys.map { "host \(number): \($0)" }
        }
        let tables = try await rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        let hex = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let counts = tables.map { table in
            """
            SELECT '\(table)' FROM \(table) AS t WHERE position('\(text)' IN t::text) > 0
                OR position('\(hex)' IN t::text) > 0
            """
        }
        return places + (try await rows(counts.joined(separator: " UNION ")))
    }

    func rows(_ sql: String) async throws -> [String] {
        try await postgres.psql(sql, database: database).split(separator: "\n").map(String.init)
    }

    /// Waits until none of the texts is anywhere.
    /// - Returns: how long that took, and where they still are after 10 s.
    func untilGone(_ texts: [String]) async throws -> (took: Duration, left: [String]) {
        let began = ContinuousClock.now
        var left: [String] = []
        _ = try await eventually(within: .seconds(5) + .leeway) {
            left = []
            for text in texts { left += try await places(of: text).map { "\(text) in \($0)" } }
            return left.isEmpty
        }
        return (ContinuousClock.now - began, left)
    }
}

/// A v1 socket of somebody, with answers by `ref`.
struct V1Client {
    let socket: TestSocket
    let hello: JSONValue

    static func connect(_ user: String, port: Int) async throws -> V1Client {
        let socket = try await TestSocket.connect(
            port: port, headers: [("Authorization", "Bearer \(Cluster.apiKey)"), ("X-Parley-User", user)],
            subprotocols: ["parley.v1"])
        return V1Client(socket: socket, hello: try await socket.nextJSON())
    }

    /// Sends a command.
    /// - Returns: the answer, and what came before it.
    @discardableResult
    func ask(_ command: String, ref: Int = 1) async throws -> (response: JSONValue, before: [JSONValue]) {
        try await socket.send(text: #"{"ref":\#(ref),\#(command)}"#)
        var before: [JSONValue] = []
        while true {
            let frame = try await socket.nextJSON()
            if frame["ref"]?.int == ref { return (frame, before) }
            before.append(frame)
        }
    }

    /// Sends a message.
    /// - Parameter fields: more of the command, such as parts.
    /// - Returns: id and seq.
    func say(_ text: String, in thread: String, _ fields: String = "") async throws -> (id: String, seq: Int) {
        let ack = try await ask(#""message":{"id":"\#(thread)","text":"\#(text)"\#(fields)}"#).response
        guard let id = ack["id"]?.string, let seq = ack["seq"]?.int else { throw Refused(response: ack) }
        return (id, seq)
    }

    func edit(_ message: String, in thread: String, _ text: String) async throws {
        let ack = try await ask(#""edit":{"id":"\#(thread)","message_id":"\#(message)","text":"\#(text)"}"#).response
        guard ack["type"]?.string == "ack" else { throw Refused(response: ack) }
    }

    func delete(_ message: String, in thread: String) async throws {
        let ack = try await ask(#""delete":{"id":"\#(thread)","message_id":"\#(message)"}"#).response
        guard ack["type"]?.string == "ack" else { throw Refused(response: ack) }
    }

    func react(_ message: String, in thread: String, _ emoji: String) async throws {
        let fields = #""id":"\#(thread)","message_id":"\#(message)","emoji":"\#(emoji)","on":true"#
        let ack = try await ask(#""react":{\#(fields)}"#).response
        guard ack["type"]?.string == "ack" else { throw Refused(response: ack) }
    }

    /// The newest page.
    func history(of thread: String, limit: Int = 200) async throws -> [JSONValue] {
        try await ask(#""history":{"id":"\#(thread)","limit":\#(limit)}"#).response["events"]?.array ?? []
    }

    /// What is sent to somebody who comes back.
    func resume(_ thread: String, epoch: String, seq: Int) async throws -> [JSONValue] {
        try await ask(#""resume":{"threads":{"\#(thread)":{"epoch":"\#(epoch)","seq":\#(seq)}}}"#).before
    }

    struct Refused: Error {
        let response: JSONValue
    }
}
