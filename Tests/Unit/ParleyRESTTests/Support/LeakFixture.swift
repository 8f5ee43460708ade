import HTTPTypes
import ParleyModel
import ParleyTestSupport
import Synchronization
import Testing

/// The statements that a store has executed.
final class StatementLog: Sendable {
    private let texts = Mutex<[String]>([])

    func append(_ text: String) {
        // Steps of triggers.
        if !text.hasPrefix("--") { texts.withLock { $0.append(text) } }
    }

    /// The statements since the last call, in no order.
    func takeAll() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts.sorted()
        }
    }
}

/// Threads that are full of one word, and users who may not know of them.
struct LeakFixture: Sendable {
    /// A text of everything in the hidden threads.
    static let word = "zyxomma"
    /// Users whose relation to the hidden threads differs. None is a member.
    static let outsiders = [
        "stranger", "invited", "requesting", "removed", "banned", "muted", "gone", "blocked", "blocking", "newcomer",
    ]

    struct Hidden: Sendable {
        let name: String
        let id: ThreadID
        let message: String
    }

    let rest: RESTFixture
    let statements: StatementLog
    let users: [String: SessionUser]
    let owner: SessionUser
    let member: SessionUser
    let threads: [Hidden]
    let file: String
    /// The picture of the private room.
    let picture: String
    let link: String
    /// A public room that shows newcomers what follows their joining, with a message before it.
    let hall: Hidden

    static func run(_ test: (LeakFixture) async throws -> Void) async throws {
        let statements = StatementLog()
        try await RESTFixture.run({ options in
            options.trace = { statements.append($0) }
            // Every outsider asks thousands of times.
            options.limits.sendsPerSecond = 0
            options.limits.reads.perSecond = 0
            options.limits.history.perSecond = 0
            options.limits.lists.perSecond = 0
            options.limits.searches.perSecond = 0
            options.limits.files.perSecond = 0
        }) { rest in
            try await test(try await LeakFixture(rest, statements))
        }
    }

    private init(_ rest: RESTFixture, _ statements: StatementLog) async throws {
        let (owner, member) = (try await rest.sessionUser("owner"), try await rest.sessionUser("member"))
        (self.rest, self.statements, self.owner, self.member) = (rest, statements, owner, member)
        var users: [String: SessionUser] = [:]
        for name in Self.outsiders { users[name] = try await rest.sessionUser(name) }
        self.users = users
        let hall = try await Self.made(owner, #"{"title":"Hall","history":"since_joining"}"#)
        let early = try await Self.sent(owner, #"{"text":"\#(Self.word) early"}"#, in: hall)
        let room = try await Self.made(owner, #"{"title":"\#(Self.word) room","visibility":"private"}"#)
        let group = try await Self.made(
            owner, #"{"kind":"group","members":["member"],"title":"\#(Self.word) group"}"#)
        let details = #"{"topic":"\#(Self.word)","description":"\#(Self.word)","rules":"\#(Self.word)"}"#
        try await Self.check(owner.call(.patch, "/v1/threads/\(room)", details))
        try await Self.check(owner.call(.post, "/v1/threads/\(room)/members", #"{"user":"member"}"#))
        let opened = try await owner.call(.post, "/v1/direct", #"{"user":"member"}"#)
        let direct = ThreadID(trusted: try #require(opened.object["id"] as? String))
        let uploaded = try await owner.upload(Array(Self.word.utf8), name: Self.word, type: "text/plain")
        let file = try #require(uploaded.object["id"] as? String, "\(uploaded.text)")
        var threads: [Hidden] = []
        for (name, thread) in [("room", room), ("group", group), ("direct", direct)] {
            let parts = #"{"text":"\#(Self.word) text","parts":[{"attachment":"\#(file)"}]}"#
            let message = try await Self.sent(owner, parts, in: thread)
            let reaction = "/v1/threads/\(thread)/messages/\(message)/reactions/\(Self.word)"
            try await Self.check(member.call(.put, reaction))
            threads.append(Hidden(name: name, id: thread, message: message))
        }
        let image = try await owner.upload(AttachmentTests.png, name: Self.word, type: "image/png")
        picture = try #require(image.object["id"] as? String, "\(image.text)")
        try await Self.check(owner.call(.patch, "/v1/threads/\(room)", #"{"picture":"\#(picture)"}"#))
        let made = try await owner.call(.post, "/v1/threads/\(room)/links", "{}")
        link = try #require(made.object["id"] as? String, "\(made.text)")
        for thread in [room, group] { try await Self.relate(users, to: thread, owner) }
        try await Self.check(owner.call(.put, "/v1/me/blocks/blocked", "{}"))
        try await Self.check(#require(users["blocking"]).call(.put, "/v1/me/blocks/owner", "{}"))
        try await rest.recover()
        for (name, user) in users {
            try await Self.check(user.call(.post, "/v1/threads/\(hall)/members", #"{"user":"\#(name)"}"#))
        }
        try await rest.recover()
        (self.threads, self.file) = (threads, file)
        self.hall = Hidden(name: "hall", id: hall, message: early)
    }

    /// Gives users their relation to a thread.
    private static func relate(
        _ users: [String: SessionUser], to thread: ThreadID, _ owner: SessionUser
    ) async throws {
        let path = "/v1/threads/\(thread)"
        for name in ["removed", "muted", "gone"] {
            try await check(owner.call(.post, path + "/members", #"{"user":"\#(name)"}"#))
        }
        try await check(owner.call(.delete, path + "/members/removed"))
        try await check(owner.call(.put, path + "/sanctions/banned/ban", #"{"reason":"\#(word)"}"#))
        try await check(owner.call(.put, path + "/sanctions/muted/mute", #"{"reason":"\#(word)"}"#))
        for name in ["muted", "gone"] {
            try await check(#require(users[name]).call(.delete, path + "/members/\(name)"))
        }
        try await check(owner.call(.put, path + "/invitations/invited", "{}"))
        try await request(thread.text, #require(users["requesting"]))
    }

    /// Asks to be let into a thread, which need not exist.
    static func request(_ thread: String, _ user: SessionUser) async throws {
        try await check(user.call(.post, "/v1/threads/\(thread)/requests", "{}"))
    }

    private static func check(_ reply: Reply) throws {
        try #require((200..<300).contains(reply.status), "\(reply.status) \(reply.text)")
    }

    private static func made(_ user: SessionUser, _ json: String) async throws -> ThreadID {
        let reply = try await user.call(.post, "/v1/threads", json)
        return ThreadID(trusted: try #require(reply.object["id"] as? String, "\(reply.text)"))
    }

    private static func sent(_ user: SessionUser, _ json: String, in thread: ThreadID) async throws -> String {
        let reply = try await user.call(.post, "/v1/threads/\(thread)/messages", json)
        return try #require(reply.object["id"] as? String, "\(reply.text)")
    }

    // MARK: Calls

    /// An answer, in which IDs are replaced by what they stand for, and the statements that led to it.
    struct Answer: Hashable, Sendable {
        var text: String
        var statements: [String]
    }

    /// Makes a call about a thread.
    func answer(
        to call: HiddenCall, about thread: String, _ message: String, by user: SessionUser
    ) async throws -> Answer {
        let values = [
            ("{thread}", thread), ("{message}", message), ("{file}", file), ("{link}", link),
            ("{me}", user.user.name), ("{member}", member.user.name), ("{word}", Self.word),
        ]
        func fill(_ text: String) -> String { values.reduce(text) { $0.replacing($1.0, with: $1.1) } }
        let method = try #require(HTTPRequest.Method(rawValue: call.method))
        _ = statements.takeAll()
        let reply = try await user.call(method, fill(call.path), call.body.map { fill($0.text) } ?? "")
        return Answer(
            text: Self.text(of: reply, without: [(thread, "{thread}"), (message, "{message}")]),
            statements: statements.takeAll())
    }

    /// Status, headers and body.
    static func text(of reply: Reply, without names: [(String, String)]) -> String {
        // The length follows from the body, and the others from the request.
        let others = ["content-length", "date", "x-request-id"]
        let headers = reply.headers.filter { !others.contains($0.name.canonicalName) }
            .map { "\($0.name): \($0.value)" }.sorted()
        let text = "\(reply.status) \(headers) \(reply.text)"
        return names.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
