import Hummingbird
import NIOCore
import ParleyModel

/// Everything that is kept of a user, as NDJSON, written while it is read: a line for the user, one for each thread,
/// one for each message they have sent.
struct UserExport: Sendable {
    /// Messages and threads read at a time.
    private static let atOnce = 500

    let store: any MessageStore
    let user: User
    let profile: Profile?

    /// - Throws: whatever the store throws; the answer then ends early, without its closing chunk.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(Self.lines([.object([("user", JSON(user, profile))])]))
        var place: ThreadPlace?
        repeat {
            let threads = try await store.threads(of: user.id, after: place, limit: Self.atOnce)
            place = threads.count == Self.atOnce ? threads.last?.place : nil
            try await writer.write(Self.lines(threads.map { .object([("thread", JSON($0))]) }))
        } while place != nil
        var next: ExportPlace?
        repeat {
            let page = try await store.export(of: user.id, after: next, limit: Self.atOnce)
            next = page.next
            try await writer.write(Self.lines(page.messages.map { .object([("message", JSON($0))]) }))
        } while next != nil
        try await writer.finish(nil)
    }

    private static func lines(_ lines: [JSON]) -> ByteBuffer {
        ByteBuffer(string: lines.map { $0.text + "\n" }.joined())
    }
}
