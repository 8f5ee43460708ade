import Logging
import ParleyModel
import ParleyPersister
import ParleySQLite
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Removal of attachments")
struct AttachmentSweeperTests {
    private let files: TemporaryDirectory
    private let clock = TestClock()
    private let store: SQLiteStore
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")

    init() async throws {
        files = try TemporaryDirectory()
        store = try SQLiteStore(path: files.path + "/parley.db", clock: clock.wall)
        try await store.migrate()
        try await store.createUser(ann, passwordHash: nil)
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

    private func sweeper(_ blobs: Blobs, orphanMilliseconds: Int64) -> AttachmentSweeper {
        AttachmentSweeper(
            store: store, blobs: blobs, orphanMilliseconds: orphanMilliseconds, clock: clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("bytes are removed before the row, and again after a failure or a crash")
    func retries() async throws {
        for name in ["a", "b"] { _ = try await declare(name) }
        let blobs = Blobs(failing: "b")
        let sweeper = sweeper(blobs, orphanMilliseconds: 10)
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

    @Test(
        "a use without a stored message ends only when messages had time to be stored after an outage",
        arguments: [false, true])
    func settles(runsThroughTheOutage: Bool) async throws {
        let id = try await declare("a")
        _ = try await store.advanceUpload(of: id, from: 0, to: 1, upload: nil, due: clock.milliseconds + 10)
        _ = try await store.completeUpload(of: id, sha256: "s", dimensions: nil, due: clock.milliseconds + 10)
        // A direct thread, which begins with the message that is not stored yet.
        let use = AttachmentUse(thread: ThreadID(trusted: "d"), message: MessageID(trusted: "m"))
        _ = try await store.useAttachments(
            [id], of: ann.id, in: use, recipient: ann.id, at: clock.milliseconds)
        let blobs = Blobs(failing: "")
        var sweeper = sweeper(blobs, orphanMilliseconds: 86_400_000)
        _ = await sweeper.sweep()
        clock.advance(milliseconds: 90_000_000)
        if runsThroughTheOutage {
            // The store fails calls of a cancelled task as it fails those that the database does not answer.
            let failing = Task { [sweeper] in
                while !Task.isCancelled { await Task.yield() }
                return await sweeper.sweep()
            }
            failing.cancel()
            #expect(await !failing.value)
        } else {
            sweeper = self.sweeper(blobs, orphanMilliseconds: 86_400_000)
        }
        _ = await sweeper.sweep()
        clock.advance(milliseconds: AttachmentSweeper.settlingMilliseconds - 1)
        _ = await sweeper.sweep()
        #expect(blobs.removed.isEmpty)
        clock.advance(milliseconds: AttachmentUse.checkMilliseconds)
        _ = await sweeper.sweep()
        _ = await sweeper.sweep()
        #expect(blobs.removed == ["a"])
        try await store.close()
    }
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
