import Foundation
import ParleyTestSupport

/// A message as the tutorial's client decodes it: these fields and types, all others ignored; and what came after.
struct ClassicMessage: Decodable, Hashable {
    let id: String
    let date: Int
    let text: String
    let senderID: String
    let senderName: String
    let threadID: String
    /// Parley's own additions, which a message of ours always has.
    let seq: Int
    let epoch: String
    let dateMilliseconds: Int

    private enum CodingKeys: String, CodingKey {
        case id, date, text, seq, epoch
        case senderID = "sender_id"
        case senderName = "sender_name"
        case threadID = "thread_id"
        case dateMilliseconds = "date_ms"
    }

    init(parsing text: String) throws {
        self = try JSONDecoder().decode(ClassicMessage.self, from: Data(text.utf8))
    }
}

extension TestSocket {
    /// The next message of the classic dialect.
    /// - Throws: ``TimedOut``, ``Ended``, or `DecodingError` if it is anything else than a message.
    func nextMessage(within limit: Duration = .patience) async throws -> ClassicMessage {
        guard let text = try await next(within: limit) else {
            throw Ended(end: try await end())
        }
        return try ClassicMessage(parsing: text)
    }

    /// Sends `text` to `thread` in the classic dialect.
    func say(_ text: String, in thread: String) async throws {
        try await send(json: ["message": ["id": .string(thread), "text": .string(text)]])
    }
}
