import NIOCore
import NIOHTTP1
import ParleyJSON
import ParleyModel

/// The REST calls of a run: creates users and threads, and reads histories and unread counts at the end.
struct RESTService: Sendable {
    let endpoint: Endpoint
    let apiKey: String
    let client: RESTClient

    /// Lines per import call.
    private static let importLines = 5000
    /// Events per page, the maximum of the API.
    private static let pageEvents = 1000
    /// Concurrent calls.
    private static let parallel = 4
    /// The time that calls are retried while a server responds with 503 or 429, or not at all.
    private static let timeout = Duration.seconds(60)
    /// The same, before the run.
    private static let firstTimeout = Duration.seconds(5)

    /// Retries a call until the response is not "later" and the connection is intact.
    private func call(
        _ method: HTTPMethod, _ path: String, user: String? = nil, lines: ByteBuffer? = nil,
        timeout: Duration = timeout
    ) async throws -> JSONTree {
        let deadline = ContinuousClock.now + timeout
        var headers = [("Authorization", "Bearer \(apiKey)")]
        if let user { headers.append(("X-Parley-User", user)) }
        if lines != nil { headers.append(("Content-Type", "application/x-ndjson")) }
        while true {
            do {
                let reply = try await client.call(method, path, at: endpoint, headers: headers, body: lines)
                if reply.status == 200 || reply.status == 201 {
                    guard let tree = try? JSONTree(parsing: reply.body.readableBytesView) else {
                        throw RESTFailure.malformed(path: path)
                    }
                    return tree
                }
                guard [429, 502, 503, 504].contains(reply.status), ContinuousClock.now < deadline else {
                    throw RESTFailure.refused(
                        path: path, status: reply.status, body: String(buffer: reply.body).prefix(300).description)
                }
            } catch let failure as RESTFailure {
                guard case .timedOut = failure, ContinuousClock.now < deadline else { throw failure }
            } catch {
                guard ContinuousClock.now < deadline else {
                    throw RESTFailure.unreachable(url: endpoint.url, reason: "\(error)")
                }
            }
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    // MARK: Setup

    /// Creates the users and threads of a population.
    /// - Parameter password: the password of all users; `nil` for none.
    func make(_ population: Population, password: String?) async throws {
        var lines: [String] = []
        func flush() async throws {
            guard !lines.isEmpty else { return }
            let path = "/v1/admin/import"
            let body = ByteBuffer(string: lines.joined(separator: "\n") + "\n")
            let reply = try await call(.POST, path, lines: body, timeout: Self.firstTimeout)
            if let error = reply["errors"]?.elements?.first {
                throw RESTFailure.refused(path: path, status: 200, body: error.canonical)
            }
            lines.removeAll(keepingCapacity: true)
        }
        func add(_ line: String) async throws {
            lines.append(line)
            if lines.count >= Self.importLines { try await flush() }
        }
        for bot in 0..<population.botCount {
            let secret = password.map { #","password":"\#($0)""# } ?? ""
            try await add(
                #"{"user":{"id":"\#(population.user(bot))","username":"\#(population.user(bot))"\#(secret)}}"#)
        }
        for (thread, id) in population.threadIDs.enumerated() {
            try await add(#"{"thread":{"id":"\#(id)","title":"\#(population.run) room \#(thread)"}}"#)
        }
        for (thread, members) in population.members.enumerated() {
            for bot in members {
                try await add(
                    #"{"member":{"thread":"\#(population.threadIDs[thread])","user":"\#(population.user(Int(bot)))"}}"#)
            }
        }
        try await flush()
    }

    /// Logs all users in, a few at a time.
    /// - Returns: by bot number, the session and the duration in microseconds.
    func logIn(_ population: Population, password: String) async throws -> [(session: String, time: Int64)] {
        try await inParallel(population.botCount) { bot in
            // Without the API key.
            let (path, start) = ("/auth/login", MonotonicClock.now())
            let body = ByteBuffer(string: #"{"username":"\#(population.user(bot))","password":"\#(password)"}"#)
            let reply = try await client.call(
                .POST, path, at: endpoint, headers: [("Content-Type", "application/json")], body: body)
            guard reply.status == 200, let session = reply.session else {
                throw RESTFailure.refused(path: path, status: reply.status, body: String(buffer: reply.body))
            }
            return (session, MonotonicClock.now() - start)
        }
    }

    // MARK: Results

    /// The complete logs of all threads.
    /// - Parameter least: by thread, the highest seq seen by a bot; waits until the store has it, for at most
    ///   `timeout`.
    func histories(_ population: Population, least: [Int64], timeout: Duration) async throws -> [ThreadHistory] {
        let deadline = ContinuousClock.now + timeout
        return try await inParallel(population.threadIDs.count) { thread in
            var history = ThreadHistory()
            while true {
                let isWhole = try await self.read(&history, population.threadIDs[thread])
                if isWhole, (history.events.last?.seq ?? 0) >= least[thread] { return history }
                if isWhole {
                    guard ContinuousClock.now < deadline else { return history }
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    /// Reads one more page.
    /// - Returns: whether it was the last one.
    private func read(_ history: inout ThreadHistory, _ thread: ThreadID) async throws -> Bool {
        let after = history.events.last?.seq ?? 0
        let path = "/v1/threads/\(thread)/events?after_seq=\(after)&limit=\(Self.pageEvents)"
        let page = try await call(.GET, path)
        guard let events = page["events"]?.elements, case .bool(let hasMore)? = page["has_more"] else {
            throw RESTFailure.malformed(path: path)
        }
        for event in events {
            guard let read = ThreadHistory.Event(event) else { throw RESTFailure.malformed(path: path) }
            history.events.append(read)
        }
        // A page without progress would be requested forever.
        return !hasMore || events.isEmpty || (history.events.last?.seq ?? 0) <= after
    }

    /// The unread counts of some users in threads of this run.
    func unreadCounts(_ population: Population, of bots: [Int]) async throws -> [UnreadCount] {
        let numbers = Dictionary(
            population.threadIDs.enumerated().map { ($1.text, $0) }, uniquingKeysWith: { first, _ in first })
        return try await inParallel(bots.count) { index in
            var counts: [UnreadCount] = []
            var cursor = ""
            while true {
                let path = "/v1/threads?limit=500\(cursor)"
                let page = try await self.call(.GET, path, user: population.user(bots[index]))
                guard let threads = page["threads"]?.elements else { throw RESTFailure.malformed(path: path) }
                for thread in threads {
                    guard let id = thread["id"]?.text, let number = numbers[id] else { continue }
                    guard let unread = thread["unread"]?.integer, let read = thread["read_seq"]?.integer else {
                        throw RESTFailure.malformed(path: path)
                    }
                    counts.append(UnreadCount(bot: bots[index], thread: number, unread: unread, readSeq: read))
                }
                guard let next = page["next_cursor"]?.text else { return counts }
                cursor = "&cursor=\(next)"
            }
        }.flatMap { $0 }
    }

    /// Runs `count` jobs, a few at a time.
    private func inParallel<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: [(Int, Value)].self) { group in
            for worker in 0..<min(Self.parallel, max(1, count)) {
                group.addTask {
                    var done: [(Int, Value)] = []
                    for index in stride(from: worker, to: count, by: Self.parallel) {
                        done.append((index, try await body(index)))
                    }
                    return done
                }
            }
            var values: [(Int, Value)] = []
            for try await part in group { values += part }
            return values.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension ThreadHistory.Event {
    /// An element of a page of events.
    init?(_ tree: JSONTree) {
        guard let type = tree["type"]?.text, let seq = tree["seq"]?.integer, let epoch = tree["epoch"]?.text else {
            return nil
        }
        let isMessage = type == "message"
        let id = isMessage ? tree["id"]?.text ?? "" : ""
        var text = tree["text"]?.text ?? ""
        let tagged = isMessage ? text.withUTF8 { MessageTagText(UnsafeRawBufferPointer($0)) } : nil
        self.init(
            epoch: epoch, seq: seq, tag: tagged?.tag ?? MessageTag(foreign: type.utf8, id: id.utf8),
            isMessage: isMessage,
            isDeleted: tree["deleted"] == .bool(true) || tree["erased"] == .bool(true))
    }
}
