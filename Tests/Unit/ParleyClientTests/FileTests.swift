import Foundation
import ParleyClient
import ParleyJSON
import ParleyTestSupport
import Synchronization
import Testing

/// Files as an app sends and downloads them, on a server in memory.
@Suite(.timeLimit(.minutes(1))) struct FileTests {
    let server = FakeServer()
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var database: String { directory.path + "/chat.db" }

    private func client(
        inMemory: Bool = false, _ change: (inout ChatConfiguration) -> Void = { _ in }
    ) throws -> ChatClient {
        var configuration = ChatConfiguration(
            server: try #require(URL(string: "http://127.0.0.1:1")), storage: inMemory ? .inMemory : .file(database),
            transport: server
        ) { _ in .bearer("token") }
        configuration.seed = 1
        configuration.reconnect.base = .milliseconds(20)
        change(&configuration)
        return try ChatClient(configuration: configuration)
    }

    private func connect(_ client: ChatClient) async throws {
        await client.start()
        #expect(try await eventually { await client.state == .connected })
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(UInt64(count))
        return random.bytes(count)
    }

    private func stored(_ client: ChatClient) async throws -> ChatMessage {
        let messages = await client.messages(in: "t")
        #expect(try await eventually { await messages.current().items.last?.state == .stored })
        return try #require(await messages.current().items.last)
    }

    /// The copies in the folder beside the database.
    private var copies: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: database + ".files")) ?? []
    }

    @Test(
        "a file that is deleted after it was sent arrives in pieces, although they are cut off",
        arguments: [false, true])
    func send(inMemory: Bool) async throws {
        let client = try client(inMemory: inMemory)
        try await connect(client)
        server.cut()
        #expect(try await eventually { await client.state != .connected })
        let bytes = Self.bytes(1_500_000)
        let path = directory.path + "/photo.png"
        try Data(bytes).write(to: URL(filePath: path))
        var file = LocalFile(path: path, mediaType: "video/mp4")
        file.durationMilliseconds = 4200
        let sent = try await client.send(ChatDraft("Look", parts: [.text("x")], files: [file]), to: "t")
        try FileManager.default.removeItem(atPath: path)
        let pending = try #require(sent.parts.last?.file)
        #expect(sent.state == .pending && sent.parts.count == 2 && pending.name == "photo.png")
        #expect(pending.upload == ChatUpload(sent: 0, total: bytes.count) && pending.upload?.fraction == 0)
        if !inMemory {
            let url = try #require(URL(string: pending.url))
            #expect(try Data(contentsOf: url) == Data(bytes))
        }
        server.state.withLock { $0.attachments.cuts = 2 }
        server.restore()
        await client.networkChanged()
        let arrived = try await stored(client)
        let part = try #require(arrived.parts.last?.file)
        #expect(arrived.id == sent.id && part.url == "/v1/attachments/f1" && part.attachmentID == "f1")
        #expect(part.upload == nil && part.durationMilliseconds == 4200 && arrived.parts.first == .text("x"))
        #expect(server.state.withLock { $0.attachments.files["f1"]?.bytes } == bytes)
        #expect(try await eventually { self.copies.isEmpty })
        await client.shutDown()
    }

    /// Files that take a while to copy.
    private static var largeFiles: [LocalFile] {
        (0..<8).map { LocalFile(.bytes(bytes(4_000_000 + $0)), name: "a", mediaType: "image/png") }
    }

    /// A client that knows the threads `t` and `u`, and has lost its connection.
    private func offline(outboxLimit: Int) async throws -> ChatClient {
        server.state.withLock { $0.otherThreads = [FakeServer.thread("u")] }
        let client = try client { $0.outboxLimit = outboxLimit }
        try await connect(client)
        server.cut()
        #expect(try await eventually { await client.state != .connected })
        return client
    }

    @Test("what is sent while the files of a message are copied does not overtake it")
    func copying() async throws {
        let client = try await offline(outboxLimit: 4)
        async let look = client.send(ChatDraft("Look", files: Self.largeFiles), to: "t")
        while copies.isEmpty { await Task.yield() }
        async let above = client.send("see above", to: "t")
        try await client.send("elsewhere", to: "u")
        _ = try await (look, above)
        try await client.send("later", to: "t")
        #expect(await client.messages(in: "t").current().items.map(\.text) == ["Look", "see above", "later"])
        await #expect(throws: ChatError.self) { try await client.send("too many", to: "u") }
        await client.shutDown()
    }

    @Test("a message whose files are being copied has its place in the outbox")
    func reservation() async throws {
        let client = try await offline(outboxLimit: 1)
        async let look = client.send(ChatDraft("Look", files: Self.largeFiles), to: "t")
        while copies.isEmpty { await Task.yield() }
        await #expect(throws: ChatError.self) { try await client.send("too many", to: "u") }
        #expect(try await look.parts.count == 8)
        // A send that fails gives its place back.
        try await client.discard(look.id, in: "t")
        let none = LocalFile(path: directory.path + "/none", mediaType: "image/png")
        await #expect(throws: ChatError.self) { try await client.send(ChatDraft("", files: [none]), to: "t") }
        try await client.send("fits", to: "t")
        await client.shutDown()
    }

    @Test("copies are on the disk with their names, and the folder with its own, when they have been added")
    func durability() async throws {
        let synchronized = Mutex<[String]>([])
        let stage = FileStage(folder: database + ".files", limit: 100, entries: []) { url in
            try FileStage.synchronize(url)
            synchronized.withLock { $0.append(url.lastPathComponent) }
        }
        let file = LocalFile(.bytes([1, 2]), name: "a", mediaType: "image/png")
        let parent = URL(filePath: directory.path).lastPathComponent
        _ = try await stage.add([file, file], for: "c1")
        #expect(synchronized.withLock { $0 } == [parent, "c1-0", "c1-1", "chat.db.files"])
        synchronized.withLock { $0 = [] }
        _ = try await stage.add([file], for: "c2")
        #expect(synchronized.withLock { $0 } == ["c2-0", "chat.db.files"])
    }

    @Test("observers see the upload advance")
    func progress() async throws {
        let client = try client()
        try await connect(client)
        let messages = await client.messages(in: "t")
        // Each request waits until the observer has seen what the one before has changed; the message is not answered.
        server.state.withLock { ($0.isHoldingUploads, $0.isMute) = (true, true) }
        let file = LocalFile(.bytes(Self.bytes(900_000)), name: "a", mediaType: "image/png")
        try await client.send(ChatDraft("", files: [file]), to: "t")
        var seen: [Int] = []
        for await update in messages {
            guard let upload = update.items.last?.parts.first?.file?.upload, seen.last != upload.sent else { continue }
            seen.append(upload.sent)
            // The first one declares the file.
            server.permitUploads(upload.sent == 0 ? 2 : 1)
            if upload.sent == upload.total { break }
        }
        // How large the second piece is depends on how long the first one took.
        #expect(seen.prefix(2) == [0, 262_144] && seen.last == 900_000)
        #expect(seen == seen.sorted() && seen.count >= 4)
        await client.shutDown()
    }

    @Test("a process that dies in the middle of an upload leaves it to the next one")
    func death() async throws {
        var running: ChatClient? = try client()
        if let running {
            try await connect(running)
            server.state.withLock { $0.isHoldingUploads = true }
            let file = LocalFile(.bytes(Self.bytes(2_000_000)), name: "a", mediaType: "image/png")
            try await running.send(ChatDraft("one", files: [file]), to: "t")
            try await running.send("two", to: "t")
            for _ in 0..<2 {
                #expect(try await eventually { self.server.releaseUpload() })
            }
            #expect(
                try await eventually { self.server.state.withLock { $0.attachments.files["f1"]?.bytes.count ?? 0 > 0 } }
            )
            await running.shutDown()
        }
        running = nil
        server.releaseUploads()
        try Data([1]).write(to: URL(filePath: database + ".files/orphan-0"))
        let next = try client()
        #expect(copies.count == 1)
        #expect(await next.messages(in: "t").current().items.first?.parts.first?.file?.upload?.total == 2_000_000)
        try await connect(next)
        #expect(try await stored(next).text == "two")
        #expect(server.texts == ["one", "two"])
        #expect(server.state.withLock { $0.attachments.files.count } == 1)
        #expect(server.state.withLock { $0.attachments.requests }.contains("HEAD f1"))
        await next.shutDown()
    }

    @Test("a message is discarded in the middle of its upload, and its file removed here and there")
    func discard() async throws {
        let client = try client()
        try await connect(client)
        server.state.withLock { $0.isHoldingUploads = true }
        let file = LocalFile(.bytes([1, 2, 3]), name: "a", mediaType: "image/png")
        let sent = try await client.send(ChatDraft("", files: [file]), to: "t")
        #expect(try await eventually { self.server.releaseUpload() })
        #expect(try await eventually { self.server.state.withLock { !$0.attachments.files.isEmpty } })
        try await client.discard(sent.id, in: "t")
        server.releaseUploads()
        #expect(await client.messages(in: "t").current().items.isEmpty)
        #expect(try await eventually { self.server.state.withLock { $0.attachments.deleted == ["f1"] } })
        #expect(try await eventually { self.copies.isEmpty })
        #expect(server.texts.isEmpty)
        await client.shutDown()
    }

    @Test("the server's refusal is shown on the message, which can be tried again")
    func refusal() async throws {
        let client = try client()
        try await connect(client)
        server.state.withLock { $0.attachments.refusals = [(413, "too_large")] }
        let file = LocalFile(.bytes([1, 2, 3]), name: "a", mediaType: "image/png")
        let sent = try await client.send(ChatDraft("", files: [file]), to: "t")
        let messages = await client.messages(in: "t")
        let refused = MessageState.failed(reason: .refused(code: .tooLarge, message: "too_large"), retryable: false)
        #expect(try await eventually { await messages.current().items.first?.state == refused })
        try await client.retry(sent.id, in: "t")
        #expect(try await stored(client).parts.count == 1)
        await client.shutDown()
    }

    @Test("what cannot be sent is refused at once, and leaves no copy")
    func limits() async throws {
        let client = try client { $0.pendingFilesLimit = 10 }
        try await connect(client)
        func send(_ files: LocalFile...) async throws { try await client.send(ChatDraft("", files: files), to: "t") }
        let good = LocalFile(.bytes([1]), name: "a", mediaType: "image/png")
        var files = [LocalFile(path: directory.path + "/none", mediaType: "image/png")]
        files += [[], Self.bytes(11)].map { LocalFile(.bytes($0), name: "a", mediaType: "image/png") }
        files += ["", "a/b", "a\\b", "a\u{1}"].map { LocalFile(.bytes([1]), name: $0, mediaType: "image/png") }
        files.append(LocalFile(.bytes([1]), name: "a", mediaType: "png"))
        for file in files { await #expect(throws: ChatError.self) { try await send(good, file) } }
        await #expect(throws: ChatError.self) {
            try await client.send(ChatDraft("", files: Array(repeating: good, count: 11)), to: "t")
        }
        let local = ChatPart.photo(ChatFile(url: "file:///a.png", mediaType: "image/png"))
        await #expect(throws: ChatError.self) { try await client.send(ChatDraft("", parts: [local]), to: "t") }
        #expect(copies.isEmpty && server.texts.isEmpty)
        // The room of what was refused is free again.
        try await send(LocalFile(.bytes(Self.bytes(10)), name: "a", mediaType: "image/png"))
        await client.shutDown()
    }

    @Test("a download goes on where it was cut off, and appears when it is complete")
    func download() async throws {
        let client = try client()
        try await connect(client)
        let bytes = Self.bytes(1_000_000)
        server.state.withLock {
            $0.attachments.files["f9"] = .init(
                name: "a", type: "image/png", size: bytes.count, bytes: bytes, isComplete: true)
        }
        let file = ChatFile(url: "/v1/attachments/f9", mediaType: "image/png")
        let path = directory.path + "/a.png"
        try Data(bytes[..<300_000]).write(to: URL(filePath: path + ".f9.part"))
        server.state.withLock { $0.attachments.refusals = [(503, "unavailable")] }
        let seen = Mutex<[Int]>([])
        try await client.download(file, to: path) { progress in
            #expect(progress.total == bytes.count && !FileManager.default.fileExists(atPath: path))
            seen.withLock { $0.append(progress.received) }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(bytes))
        #expect(seen.withLock { $0.first ?? 0 > 300_000 && $0.last == bytes.count && $0 == $0.sorted() })
        // Once more, in place of what is there, and of something that is too long.
        try Data(bytes + [1]).write(to: URL(filePath: path + ".f9.part"))
        try await client.download(file, to: path)
        #expect(try await client.data(of: file) == Data(bytes))
        await #expect(throws: ChatError.self) { try await client.data(of: file, limit: 999_999) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy { !$0.hasSuffix("part") })
        await client.shutDown()
    }

    @Test("a download that cannot take its place leaves the file that is there, and nothing but a file is replaced")
    func failedDownload() async throws {
        let client = try client(inMemory: true)
        server.state.withLock {
            $0.attachments.files["f9"] = .init(name: "a", type: "image/png", size: 2, bytes: [1, 2], isComplete: true)
        }
        let file = ChatFile(url: "/v1/attachments/f9", mediaType: "image/png")
        let path = directory.path + "/a.png"
        try Data([9]).write(to: URL(filePath: path))
        await #expect(throws: ChatError.self) {
            try await client.download(file, to: path) { _ in unlink(path + ".f9.part") }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([9]))
        let folder = directory.path + "/folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        await #expect(throws: ChatError.self) { try await client.download(file, to: folder) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test(
        "the user's credentials go to no other server",
        arguments: [
            "https://files.example/v1/attachments/f1", "http://127.0.0.1:1.example/v1/attachments/f1",
            "/v1/attachments/",
            "/v1/attachments/../me", "/v1/me", "file:///etc/passwd", "",
        ])
    func foreign(url: String) async throws {
        let client = try client(inMemory: true)
        let file = ChatFile(url: url, mediaType: "image/png")
        await #expect(throws: ChatError.invalid(.foreignFile, "\(url) is not an attachment of this server")) {
            try await client.data(of: file)
        }
    }

    @Test("an address of an object storage gets no credentials")
    func redirect() async throws {
        let client = try client(inMemory: true)
        server.state.withLock { $0.redirect = "http://storage.example/key?signature=1" }
        let data = try await client.data(of: ChatFile(url: "http://127.0.0.1:1/v1/attachments/f9", mediaType: "a/b"))
        #expect(data == Data([7, 7]))
        let requests = server.state.withLock { $0.requests }
        #expect(requests.map { $0.headers.contains { $0.name == "Authorization" } } == [true, false])
        #expect(requests.map(\.url).last == "http://storage.example/key?signature=1")
    }

    @Test("an avatar is uploaded, and then named in the profile; limits, sessions and members are read")
    func account() async throws {
        let client = try client(inMemory: true)
        let user = try await client.setAvatar(LocalFile(.bytes([1, 2]), name: "me.png", mediaType: "image/png"))
        #expect(user.avatarURL == "/v1/attachments/f1" && user.displayName == nil)
        #expect(try await client.removeAvatar().avatarURL == nil)
        #expect(try await client.setDisplayName("Alice").displayName == "Alice")
        let limits = try await client.attachmentLimits()
        #expect(limits.maximumBytes == 1000 && limits.quotaBytes == nil && limits.quotaFiles == 9)
        let members = try await client.members(of: "t")
        #expect(members.map(\.user.username) == ["alice", "bob", "carl"])
        #expect(members.map(\.role) == [.owner, .member, .other])
        let sessions = try await client.sessions()
        #expect(
            sessions.map(\.isCurrent) == [true, false] && sessions.first?.expires == Date(timeIntervalSince1970: 7))
        try await client.endSession("s2")
        #expect(server.state.withLock { $0.requests.last?.url.hasSuffix("/v1/me/sessions/s2") } == true)
    }
}
