import NIOCore
import ParleyRedis
import ParleyRedisClient
import ParleyRedisModel
import ParleyTestServers
import Testing

/// A real server and its model side by side: the same bytes at the same times, on connections that correspond.
///
/// The main connection sends commands; the others subscribe or wait for keys.
final class ModelComparison {
    /// The replies to a command differ.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    enum Role: CaseIterable {
        case main
        case subscriber
        case waiter
    }

    private let real: PinnedRedis
    private(set) var model: RedisServerModel
    private let clients: [Role: BlockingRedisClient]
    private let ids: [Role: ServerConnectionID]
    private let library: ScriptLibrary
    private(set) var microseconds: Int64
    /// What was done in this sequence, for the report of a difference.
    private var story: [String] = []

    init(_ real: PinnedRedis, _ settings: [RedisSettings], at microseconds: Int64) throws {
        self.real = real
        self.microseconds = microseconds
        library = ScriptLibrary(settings)
        var model = RedisServerModel(RedisServerModel.Configuration(scripts: library), seed: 1, at: microseconds)
        var (clients, ids): ([Role: BlockingRedisClient], [Role: ServerConnectionID]) = ([:], [:])
        for role in Role.allCases {
            clients[role] = try BlockingRedisClient(real.server.socketPath)
            ids[role] = model.connect()
        }
        self.model = model
        (self.clients, self.ids) = (clients, ids)
    }

    // MARK: Steps

    /// Begins a sequence: nothing is stored, subscribed or waited for.
    func begin() throws {
        if isWaiting { try move(by: 10_000_000) }
        story = []
        // With names, since the order of all is that of a hash table.
        try send([["UNSUBSCRIBE"] + RedisCallGenerator.channels], as: .subscriber)
        try send([["CONFIG", "SET", "maxmemory", "0"], ["FLUSHALL"]].map { $0.map { Array($0.utf8) } }, as: .main)
    }

    /// Whether the waiter has no reply yet.
    private(set) var isWaiting = false

    /// Moves the time, and lets both notice whose wait is over.
    func move(by microseconds: Int64) throws {
        self.microseconds += microseconds
        story.append("+\(microseconds) µs")
        try real.set(microseconds: self.microseconds)
        let outputs = model.advance(to: self.microseconds)
        // A server that has replied has looked after its waiting clients.
        try exchange([[Array("PING".utf8)]], as: .main, earlier: outputs)
    }

    /// Sends commands at once, and compares all replies on all connections.
    func send(_ commands: [[[UInt8]]], as role: Role) throws {
        try exchange(commands, as: role, earlier: [])
        // A command that waits has no reply. A server that has replied to a later one has begun to wait.
        if isWaiting, role == .waiter { try exchange([[Array("PING".utf8)]], as: .main, earlier: []) }
    }

    func send(_ commands: [[String]], as role: Role) throws {
        try send(commands.map { $0.map { Array($0.utf8) } }, as: role)
    }

    /// The role of a replica, whose master cannot be reached, or that of a master.
    func setReadOnly(_ isReadOnly: Bool) throws {
        story.append("read-only: \(isReadOnly)")
        let command = isReadOnly ? ["REPLICAOF", "127.0.0.1", "1"] : ["REPLICAOF", "NO", "ONE"]
        try client(.main).send(RESPCommand(command).bytes)
        _ = try client(.main).replies(1)
        if isReadOnly {
            let outputs = model.replicate(model, at: .tcp(host: "127.0.0.1", port: 1))
            try compare(outputs, commands: [])
        } else {
            model.promote()
        }
    }

    private func client(_ role: Role) throws -> BlockingRedisClient { try #require(clients[role]) }

    private func exchange(_ commands: [[[UInt8]]], as role: Role, earlier: [ServerOutput]) throws {
        for command in commands { story.append("\(role): \(Self.text(command, library))") }
        let bytes = commands.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer(Self.encoded($1).bytes) }
        try client(role).send(bytes)
        let outputs = model.receive(bytes, from: try #require(ids[role]), at: microseconds)
        if role == .waiter { isWaiting = true }
        try compare(earlier + outputs, commands: commands)
    }

    private func compare(_ outputs: [ServerOutput], commands: [[[UInt8]]]) throws {
        for role in Role.allCases {
            let id = try #require(ids[role])
            var bytes = ByteBuffer()
            for case .send(let part, id) in outputs { bytes.writeImmutableBuffer(part) }
            let expected = try Self.replies(bytes)
            guard !expected.isEmpty else { continue }
            if role == .waiter { isWaiting = false }
            let found = try client(role).replies(expected.count)
            for (index, (theirs, ours)) in zip(found, expected).enumerated() {
                let command = role == .main && index < commands.count ? commands[index] : []
                guard Self.normal(theirs, command) != Self.normal(ours, command) else { continue }
                throw Difference(
                    description: """
                        \(story.joined(separator: "\n"))
                        \(role), reply \(index) to \(Self.text(command, library))
                        Redis: \(Self.text(theirs))
                        model: \(Self.text(ours))
                        """)
            }
        }
    }

    // MARK: Texts

    private static func replies(_ bytes: ByteBuffer) throws -> [RESPValue] {
        let reader = try #require(RESPReader())
        try bytes.withUnsafeReadableBytes { try reader.feed($0) }
        var replies: [RESPValue] = []
        while let reply = try reader.next() { replies.append(reply) }
        return replies
    }

    /// Without the line of a script in which an error occurs, and sorted if the order means nothing.
    private static func normal(_ reply: RESPValue, _ command: [[UInt8]]) -> RESPValue {
        switch reply {
        case .error(let text):
            return .error(text.firstRange(of: " script: ").map { String(text[..<$0.lowerBound]) } ?? text)
        case .array(let elements) where command.first == Array("KEYS".utf8):
            return .array(elements.sorted { ($0.text ?? "") < ($1.text ?? "") })
        default: return reply
        }
    }

    static func encoded(_ arguments: [[UInt8]]) -> RESPCommand {
        var command = RESPCommand(count: arguments.count)
        for argument in arguments { command.append(argument) }
        return command
    }

    private static func text(_ command: [[UInt8]], _ library: ScriptLibrary) -> String {
        var words = command.map(text)
        if words.first == "EVALSHA", words.count > 1 { words[1] = library.name(sha: words[1]) ?? words[1] }
        return words.joined(separator: " ")
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "\"\"" }
        if bytes.count > 200 { return text(Array(bytes.prefix(80))) + "…(\(bytes.count))" }
        return bytes.map { 33...126 ~= $0 ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16) }.joined()
    }

    private static func text(_ reply: RESPValue) -> String {
        switch reply {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .status(let text), .error(let text): text
        case .bulk(let bytes): text(bytes)
        case .array(let elements): "[" + elements.map(text).joined(separator: ", ") + "]"
        }
    }
}
