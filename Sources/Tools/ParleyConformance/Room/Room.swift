import NIOCore
package import ParleyModel
package import ParleyWire

/// One thread of a v1 server, as a value: its log, and what the rules of the protocol make of it. Scenarios take place
/// in one; servers of other tests are made of them too.
package struct Room: Sendable {
    package struct Entry: Sendable {
        package let seq: Int64
        /// `nil` for an event of a type that no client knows.
        package let event: LogEvent?
        /// The event, as it was appended.
        let json: String

        var isMessage: Bool { event?.message != nil }
    }

    /// A name that a sender has given to a message.
    private struct SendName: Hashable {
        let sender: UserID
        let clientID: String
    }

    static let title = "Conformance"
    /// The author of messages that do not come from the client.
    static let other = User(id: UserID(trusted: "0"), name: "kit")

    package var id: ThreadID
    package let title: String
    /// The prefix of the ids of its messages.
    private let messagePrefix: String
    package private(set) var epoch: String
    package private(set) var log: [Entry] = []
    /// The messages in their current state, by `seq`.
    package private(set) var messages: [Int64: Message] = [:]
    /// The stored part of the log. A log that is lost continues from here.
    package private(set) var stored: Int64 = 0
    /// The epochs that have ended, and what was received in each and may be void.
    private var ended: [(epoch: String, from: Int64, to: Int64)] = []
    package var readSeq: Int64 = 0
    private var lastMessage = 0
    /// The `client_id`s of logged messages, by message ID.
    private(set) var clientIDs: [String: String] = [:]
    private var receipts: [SendName: Receipt] = [:]

    package init(id: ThreadID, title: String, epoch: String = "e1", messagePrefix: String = "m") {
        (self.id, self.title, self.epoch, self.messagePrefix) = (id, title, epoch, messagePrefix)
    }

    package var info: ThreadInfo { ThreadInfo(id: id, kind: .room, title: title) }
    package var head: Int64 { Int64(log.count) }
    package var position: Position? { log.isEmpty ? nil : Position(epoch: Epoch(epoch), seq: head) }

    package func entry(_ seq: Int64) -> Entry? { seq >= 1 && seq <= head ? log[Int(seq) - 1] : nil }

    package func unread(after readSeq: Int64) -> Int64 {
        Int64(log.dropFirst(Int(min(max(0, readSeq), head))).count(where: \.isMessage))
    }

    /// The thread in `hello`, for a user who has read up to `readSeq`.
    package func thread(readSeq: Int64) -> V1Thread {
        V1Thread(thread: info, role: .member, head: position, unread: unread(after: readSeq), readSeq: readSeq)
    }

    // MARK: Appending

    /// Appends what a client sends. A repeat under the same `client_id` gets the first receipt.
    package mutating func accept(_ send: V1Send, by sender: User, milliseconds: Int64) -> Receipt {
        if let clientID = send.clientID, let first = receipt(of: clientID, by: sender.id) { return first }
        let receipt = append(
            send.text, by: sender, clientID: send.clientID, parts: send.parts, replyTo: send.replyTo,
            milliseconds: milliseconds)
        if let clientID = send.clientID { receipts[SendName(sender: sender.id, clientID: clientID)] = receipt }
        return receipt
    }

    /// The answer to a repeat under this `client_id`; `nil` for a first send.
    package func receipt(of clientID: String, by sender: UserID) -> Receipt? {
        receipts[SendName(sender: sender, clientID: clientID)].map { first in
            Receipt(
                thread: first.thread, position: first.position, milliseconds: first.milliseconds,
                messageID: first.messageID, isRepeat: true)
        }
    }

    /// A repeat under this `client_id` becomes another message, as if the first one had been long ago.
    mutating func forget(_ clientID: String, by sender: UserID) {
        receipts[SendName(sender: sender, clientID: clientID)] = nil
    }

    /// Appends a message.
    /// - Returns: The receipt of it.
    package mutating func append(
        _ text: String, by sender: User, clientID: String? = nil, parts: [MessagePart] = [], replyTo: Int64? = nil,
        milliseconds: Int64
    ) -> Receipt {
        lastMessage += 1
        let message = Message(
            id: MessageID(trusted: "\(messagePrefix)\(lastMessage)"), sender: sender, text: text, clientID: clientID,
            parts: parts, replyTo: replyTo)
        clientIDs[message.id.text] = clientID
        return append(.message(message), milliseconds: milliseconds)
    }

    @discardableResult
    package mutating func append(_ body: LogEvent.Body, milliseconds: Int64) -> Receipt {
        let position = Position(epoch: Epoch(epoch), seq: head + 1)
        let event = LogEvent(
            thread: id, position: position, milliseconds: milliseconds, messageCount: 0, body: body)
        log.append(Entry(seq: position.seq, event: event, json: String(buffer: V1Encoder.encode(event))))
        messages.apply(event)
        return Receipt(thread: id, position: position, milliseconds: milliseconds, messageID: body.message?.id)
    }

    /// Appends an event of a type that no client knows.
    package mutating func appendUnknown(milliseconds: Int64) {
        let seq = head + 1
        let json = """
            {"type":"pinned","thread_id":"\(id)","epoch":"\(epoch)","seq":\(seq),"date":\(milliseconds / 1000),\
            "date_ms":\(milliseconds),"message_seq":1,"by_id":"0","future":{"a":[1,null]}}
            """
        log.append(Entry(seq: seq, event: nil, json: json))
    }

    // MARK: The database

    /// The database has everything up to `seq`, or all there is.
    package mutating func store(through seq: Int64? = nil) { stored = max(stored, min(seq ?? head, head)) }

    /// Loses everything that is not stored, and starts the numbering over above it.
    package mutating func rollBack() {
        ended.append((epoch, stored + 1, head))
        log.removeLast(Int(head - stored))
        epoch += "x"
        readSeq = min(readSeq, head)
        receipts = receipts.filter { $0.value.position.seq <= stored }
        messages = [:]
        for entry in log { if let event = entry.event { messages.apply(event) } }
    }

    /// Loses the newest event without a trace, as no server may.
    package mutating func loseNewest() {
        if let lost = log.popLast() { messages[lost.seq] = nil }
    }

    // MARK: What clients get

    /// An event as it is read back: messages and edits in their current state.
    package func event(_ seq: Int64) -> LogEvent? {
        guard var event = entry(seq)?.event else { return nil }
        switch event.body {
        case .message: event.body = messages[seq].map { .message($0) } ?? event.body
        case .edited(let edit):
            let text = messages[edit.messageSeq]?.text ?? ""
            event.body = .edited(
                MessageEdit(messageID: edit.messageID, messageSeq: edit.messageSeq, text: text, by: edit.by))
        default: break
        }
        return event
    }

    /// The JSON of `event`.
    package func json(_ seq: Int64) -> String? {
        event(seq).map { String(buffer: V1Encoder.encode($0)) } ?? entry(seq)?.json
    }

    /// The JSON of the events above `seq`.
    package func events(after seq: Int64) -> [String] {
        seq < head ? (max(0, seq)..<head).compactMap { self.json($0 + 1) } : []
    }

    /// Where a client that has everything up to a position continues: by a replay, if it misses something.
    package func resumption(at position: Position) -> V1Resumption {
        guard position.seq == 0 || position.epoch.text == epoch else {
            return V1Resumption(
                .rolledBack, epoch: Epoch(epoch), from: voidFrom(since: position.epoch), to: position.seq)
        }
        return V1Resumption(
            position.seq < head ? .replayed : .live, epoch: Epoch(epoch), from: position.seq + 1,
            to: max(head, position.seq))
    }

    /// The report for a connected client that the numbering has started over.
    package var rollback: V1Resumption {
        V1Resumption(.rolledBack, epoch: Epoch(epoch), from: ended.last?.from ?? 1, to: ended.last?.to)
    }

    private func voidFrom(since epoch: Epoch) -> Int64 {
        guard let first = ended.firstIndex(where: { $0.epoch == epoch.text }) else { return 1 }
        return ended[first...].map(\.from).min() ?? 1
    }

    /// A page of the log, and what it covers.
    package func page(_ request: V1HistoryRequest, ref: Int64?) -> (json: String, from: Int64, to: Int64) {
        let bounds = request.bounds(head: head)
        let events = (bounds.after..<bounds.through).compactMap { self.json($0 + 1) }.joined(separator: ",")
        let shown = head == 0 ? "" : epoch
        let number = ref.map { "\"ref\":\($0)," } ?? ""
        let json = """
            {"type":"page",\(number)"thread_id":"\(id)","epoch":"\(shown)","events":[\(events)],\
            "has_more_before":\(bounds.after > 0),"has_more_after":\(bounds.through < head),"head_seq":\(head)}
            """
        return (json, bounds.after + 1, bounds.through)
    }
}
