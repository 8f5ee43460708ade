import NIOCore
import ParleyModel
import ParleyWire

/// The one room of a scenario: its log, as the server has it.
struct Room {
    struct Entry {
        let seq: Int64
        /// The event, as it is sent.
        let json: String
        let isMessage: Bool
    }

    static let title = "Conformance"
    /// Who writes the messages that do not come from the client.
    static let other = User(id: UserID(trusted: "0"), name: "kit")

    var id: ThreadID
    var user: User
    private(set) var epoch = "e1"
    private(set) var log: [Entry] = []
    /// What the database has; a log that is lost goes on from here.
    private(set) var stored: Int64 = 0
    /// From where on events may be void since the numbering has started over.
    private(set) var voidFrom: Int64 = 1
    var readSeq: Int64 = 0
    private var lastMessage = 0
    /// Of the messages that were logged, by their ids.
    private(set) var clientIDs: [String: String] = [:]

    init(id: ThreadID, user: User) {
        self.id = id
        self.user = user
    }

    var head: Int64 { Int64(log.count) }
    var position: Position? { log.isEmpty ? nil : Position(epoch: Epoch(epoch), seq: head) }

    var unread: Int64 { Int64(log.dropFirst(Int(min(max(0, readSeq), head))).count(where: \.isMessage)) }

    func entry(_ seq: Int64) -> Entry? { seq >= 1 && seq <= head ? log[Int(seq) - 1] : nil }

    /// Appends a message.
    /// - Returns: The receipt of it.
    mutating func append(
        _ text: String, by sender: User, clientID: String? = nil, parts: [MessagePart] = [], replyTo: Int64? = nil,
        milliseconds: Int64
    ) -> Receipt {
        lastMessage += 1
        let message = Message(
            id: MessageID(trusted: "m\(lastMessage)"), sender: sender, text: text, clientID: clientID, parts: parts,
            replyTo: replyTo)
        clientIDs[message.id.text] = clientID
        return append(.message(message), milliseconds: milliseconds, messageID: message.id)
    }

    mutating func append(_ body: LogEvent.Body, milliseconds: Int64, messageID: MessageID? = nil) -> Receipt {
        let position = Position(epoch: Epoch(epoch), seq: head + 1)
        let event = LogEvent(
            thread: id, position: position, milliseconds: milliseconds, messageCount: 0, body: body)
        let json = String(buffer: V1Encoder.encode(event))
        log.append(Entry(seq: position.seq, json: json, isMessage: body.message != nil))
        return Receipt(thread: id, position: position, milliseconds: milliseconds, messageID: messageID)
    }

    /// Appends an event of a type that no client knows.
    mutating func appendUnknown(milliseconds: Int64) {
        let seq = head + 1
        let json = """
            {"type":"pinned","thread_id":"\(id)","epoch":"\(epoch)","seq":\(seq),"date":\(milliseconds / 1000),\
            "date_ms":\(milliseconds),"message_seq":1,"by_id":"0","future":{"a":[1,null]}}
            """
        log.append(Entry(seq: seq, json: json, isMessage: false))
    }

    /// The database has everything.
    mutating func store() { stored = head }

    /// What is not stored is lost, and the numbering starts over above what is.
    mutating func rollBack() {
        voidFrom = stored + 1
        log.removeLast(Int(head - stored))
        epoch += "x"
        readSeq = min(readSeq, head)
    }

    /// A page of the log, and what it covers.
    func page(_ request: V1HistoryRequest, ref: Int64?) -> (json: String, from: Int64, to: Int64) {
        let bounds = request.bounds(head: head)
        let events = log[Int(bounds.after)..<Int(bounds.through)].map(\.json).joined(separator: ",")
        let shown = head == 0 ? "" : epoch
        let number = ref.map { "\"ref\":\($0)," } ?? ""
        let json = """
            {"type":"page",\(number)"thread_id":"\(id)","epoch":"\(shown)","events":[\(events)],\
            "has_more_before":\(bounds.after > 0),"has_more_after":\(bounds.through < head),"head_seq":\(head)}
            """
        return (json, bounds.after + 1, bounds.through)
    }
}
