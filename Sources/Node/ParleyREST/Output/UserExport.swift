import Hummingbird
import NIOCore
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyWire

/// The caller's data as NDJSON, streamed as it is read: one line for the user, one for each thread, and one for each message
/// that the user has sent.
struct UserExport: Sendable {
    /// The number of messages or threads per read.
    private static let atOnce = 500

    let messaging: Messaging
    let caller: Caller
    let profile: Profile?

    /// - Throws: Errors of the store. The response then ends without its last chunk.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(Self.lines("user", [caller.user]) { $0.tree(JSONTree($1, profile)) })
        var place: ThreadPlace?
        repeat {
            let threads = try await messaging.threads(of: caller, after: place, limit: Self.atOnce)
            place = threads.last?.place
            try await writer.write(Self.lines("thread", threads.elements) { $0.thread($1) })
        } while place != nil
        var next: ExportPlace?
        repeat {
            let page = try await messaging.sent(by: caller, after: next, limit: Self.atOnce)
            next = page.next
            try await writer.write(Self.lines("message", page.messages) { $0.event($1, messages: .classic) })
        } while next != nil
        try await writer.finish(nil)
    }

    /// - Parameter name: The name of the single member of each line.
    private static func lines<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) -> ByteBuffer {
        var json = JSONWriter(capacity: JSONWriter.eventBytes * elements.count)
        for element in elements {
            json.object { json in
                json.key(name)
                write(&json, element)
            }
            json.endLine()
        }
        return json.buffer
    }
}
