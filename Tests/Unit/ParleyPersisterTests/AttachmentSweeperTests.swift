import Logging
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Removal of attachments")
struct AttachmentSweeperTests {
    private let files: TemporaryDirectory
    private let clock = TestClock()
    private let store: SQLiteStore
    private let log: MemoryLog
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")

    init() async throws {
        files = try TemporaryDirectory()
        store = try SQLiteStore(
            path: files.path + "/parley.db", clock: clock.wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        try await store.createUser(ann, passwordHash: nil)
        log = MemoryLog(
            bus: MemoryBroker(), history: store, clock: clock.wall,
            settings: MemoryLogSettings(acceptance: .immediately))
    }

    /// Declares a file of one byte, which is due in 10 ms.
    private func declare(_ name: String) async throws -> AttachmentID {
        let id = AttachmentID(trusted: name)
        let file = ParleyModel.Attachment(
            id: id, owner: ann.id, name: name, type: "image/png", size: 1, created: clock.milliseconds)
        let result = try await store.addAttachment(
            file, within: AttachmentQuota(bytes: 0, files: 0), due: clock.milliseconds + 10)
        #expect(result?.isAdded == true)
        return id
    }

    private func sweeper(_ blobs: Blobs, log: (any MessageLog)? = nil) -> AttachmentSweeper {
        AttachmentSweeper(
            store: store, blobs: blobs,
            uses: UnstoredUses(store: store, messages: store, log: log ?? self.log, sends: self.log), clock: clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("bytes are removed before the row, and again after a failure or a crash")
    func retries() async throws {
        for name in ["a", "b"] { _ = try await declare(name) }
        let blobs = Blobs(failing: "b")
        let sweeper = sweeper(blobs)
        let left = { try await store.attachmentUsage(of: ann.id).files }

        #expect(await !sweeper.sweep())
        #expect(try await left() == 2)
        clock.advance(milliseconds: 10)
        _ = await sweeper.sweep()
        #expect(blobs.removed == ["a"])
        #expect(try await left() == 1)
        // Nobody can use what is being removed.
        #expect(try await store.attachment(AttachmentID(trusted: "b")) == nil)
        _ = await sweeper.sweep()
        #expect(blobs.calls == 2)
        blobs.repair()
        clock.advance(milliseconds: AttachmentUse.leaseMilliseconds)
        _ = await sweeper.sweep()
        #expect(blobs.removed == ["a", "b"])
        #expect(try await left() == 0)
        try await store.close()
    }

    /// Declares and uploads a file, and records that a message refers to it, in a direct thread that begins with it.
    private func use(_ name: String) async throws -> EventDraft {
        let id = try await declare(name)
        _ = try await store.advanceUpload(of: id, from: 0, to: 1, upload: nil, due: clock.milliseconds + 10)
        _ = try await store.completeUpload(of: id, sha256: "s", dimensions: nil, due: clock.milliseconds + 10)
        let (message, thread) = (MessageID(trusted: "m-\(name)"), ThreadInfo.directID(ann.id, ann.id))
        let found = try await store.useAttachments(
            [id], of: ann.id, in: AttachmentUse(thread: thread, message: message), recipient: ann.id,
            at: clock.milliseconds)
        let part = try #require(found[id]).filling(MediaPart(type: "", url: "", attachment: id))
        return EventDraft(
            thread: thread,
            body: .message(Message(id: message, sender: ann, text: "", recipient: ann, parts: [.media(part)])))
    }

    @Test("the use of a message that was not accepted ends; that of one that waits to be stored does not")
    func lost() async throws {
        let running = Task { [log] in await log.run() }
        let (sent, lost) = (try await use("sent"), try await use("lost"))
        _ = try await log.append(sent)
        let blobs = Blobs(failing: "")
        let sweeper = sweeper(blobs)
        let days: Int64 = 3 * 86_400_000
        for _ in 0..<3 {
            clock.advance(milliseconds: AttachmentUse.checkMilliseconds)
            _ = await sweeper.sweep()
        }
        #expect(blobs.removed.isEmpty)
        // Its sender may send it again for an hour, as another message.
        await #expect(throws: AppendError.self) { try await log.append(lost) }
        clock.advance(milliseconds: days)
        _ = await sweeper.sweep()
        #expect(blobs.removed == ["lost"])
        running.cancel()
        await running.value
        try await store.close()
    }

    @Test("while the log is away nothing is decided, and soon after it is back everything is")
    func outage() async throws {
        let running = Task { [log] in await log.run() }
        _ = try await use("lost")
        let (blobs, away) = (Blobs(failing: ""), AwayLog(log))
        let sweeper = sweeper(blobs, log: away)
        let uses = { try await store.checkUses(at: .max / 4, limit: 9).count }
        clock.advance(milliseconds: 86_400_000)
        _ = await sweeper.sweep()
        away.isBack.store(true, ordering: .relaxed)
        clock.advance(milliseconds: AttachmentUse.checkMilliseconds - 1)
        _ = await sweeper.sweep()
        clock.advance(milliseconds: 1)
        _ = await sweeper.sweep()
        #expect(try await uses() == 0)
        clock.advance(milliseconds: AttachmentUse.retryMilliseconds)
        _ = await sweeper.sweep()
        #expect(blobs.removed == ["lost"])
        running.cancel()
        await running.value
        try await store.close()
    }
}

/// A log that cannot be read until it is back.
private final class AwayLog: MessageLog {
    let isBack = Atomic(false)
    private let log: any MessageLog

    init(_ log: any MessageLog) {
        self.log = log
    }

    private func check() throws(AppendError) {
        guard isBack.load(ordering: .relaxed) else { throw .unavailable("told to be away") }
    }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        log.append(draft, completion: completion)
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? {
        try check()
        return try await log.head(of: thread)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try check()
        return try await log.events(in: thread, after: after, limit: limit)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {}
    func forget(_ thread: ThreadID) async throws(AppendError) {}
}

/// A storage that cannot remove one file.
private final class Blobs: BlobStore {
    private struct State {
        var failing: String?
        var calls = 0
        var removed: [String] = []
    }

    private let state: Mutex<State>

    init(failing name: String) {
        state = Mutex(State(failing: name))
    }

    var calls: Int { state.withLock { $0.calls } }
    var removed: [String] { state.withLock { $0.removed } }

    func repair() {
        state.withLock { $0.failing = nil }
    }

    func remove(_ attachment: ParleyModel.Attachment) async throws(BlobError) {
        let isRemoved = state.withLock { state in
            state.calls += 1
            guard state.failing != attachment.id.text else { return false }
            state.removed.append(attachment.id.text)
            return true
        }
        if !isRemoved { throw .unavailable("of a test") }
    }

    func append(to attachment: ParleyModel.Attachment) async throws(BlobError) -> any BlobWriter { throw .lost }
    func finish(_ attachment: ParleyModel.Attachment) async throws(BlobError) { throw .lost }
    func read(_ attachment: ParleyModel.Attachment, _ range: Range<Int64>) async throws(BlobError) -> any BlobReader {
        throw .lost
    }
    func address(of attachment: ParleyModel.Attachment, _ headers: BlobHeaders) -> String? { nil }
}
