import NIOCore
import ParleyClient
import ParleyConformance
import ParleyModel
import ParleyWire

/// A room of the conformance kit for one user, `a`, behind queues, as a value: it does what docs/PROTOCOL.md allows it to
/// do, at moments that a test draws. Frames wait in queues in both directions, and a cut loses them.
struct SimulatedServer {
    private static let alice = User(id: UserID(trusted: "a"), name: "alice")
    private static let bob = User(id: UserID(trusted: "b"), name: "b")
    /// Of all events.
    private static let milliseconds: Int64 = 1

    private(set) var room = Room(id: ThreadID(trusted: "t"), title: "T", epoch: "e0")
    var hasLostLog: Bool { room.epoch != "e0" }
    /// Sizes, and how much of each has arrived.
    private var files: [String: (size: Int, received: Int, isComplete: Bool)] = [:]
    private var lastFile = 0
    /// The files of messages, by `seq`; also of those that are deleted.
    private(set) var attachments: [Int64: [String]] = [:]
    private var hasForgotten = false
    private var waitingForStore: [V1Ack] = []

    // The connection, if there is one.
    private(set) var isConnected = false
    /// The position up to which live events were queued.
    private var sentSeq: Int64 = 0
    /// The epoch that hello has told.
    private var helloEpoch = ""
    private var hasResumed = false
    private var behindFrom: Int64?
    var toClient: [String] = []
    var toServer: [String] = []
    /// Live events above this many are left out.
    var queueLimit = 8
    /// More missing events than this are not replayed.
    private static let replayLimit: Int64 = 20
    /// Events of a page.
    private static let pageLimit: Int64 = 5

    // MARK: What a test does

    mutating func connect() {
        isConnected = true
        hasResumed = false
        behindFrom = nil
        (toClient, toServer, waitingForStore) = ([], [], [])
        sentSeq = room.head
        helloEpoch = room.epoch
        let thread = V1Thread(
            thread: room.info, role: .member, head: Position(epoch: Epoch(room.epoch), seq: room.head))
        push(
            .hello(
                V1Hello(
                    connection: ConnectionID(trusted: "c"), node: "n", user: Self.alice, serverTime: 1,
                    pingIntervalMilliseconds: 25_000, limits: Limits(), ticket: nil, threads: [thread], hasMore: false))
        )
    }

    mutating func cut() {
        isConnected = false
        (toClient, toServer, waitingForStore) = ([], [], [])
    }

    /// The database catches up with the log.
    mutating func store() {
        room.store()
        if isConnected { for ack in waitingForStore { push(.ack(ack)) } }
        waitingForStore = []
    }

    /// The log is lost: what is not stored is gone, and the numbering starts over above what is.
    mutating func loseLog() {
        room.rollBack()
        attachments = attachments.filter { $0.key <= room.head }
        waitingForStore = []
        sentSeq = room.head
        // The answer to the resume will say it.
        guard isConnected, hasResumed else { return }
        behindFrom = nil
        push(.resumed([room.id: room.rollback], ref: nil))
    }

    /// A request of an upload.
    /// - Parameter half: Only half of the bytes arrive, and the file is not completed.
    mutating func upload(_ step: UploadStep, half: Bool = false) -> UploadAnswer {
        switch step.action {
        case .declare:
            lastFile += 1
            files["f\(lastFile)"] = (step.file.size, 0, false)
            return .declared(attachment: "f\(lastFile)")
        case .ask(let id): return files[id].map { .has($0.received, isComplete: false) } ?? .gone
        case .append(let id, let offset, let count):
            guard var file = files[id] else { return .gone }
            if file.isComplete { return .has(file.size, isComplete: offset == file.size && count == 0) }
            guard offset == file.received else { return .has(file.received, isComplete: false) }
            file.received += half ? count / 2 : count
            file.isComplete = !half && file.received == file.size
            files[id] = file
            return .has(file.received, isComplete: file.isComplete)
        }
    }

    /// Files that no message has used are removed; once, since a client gives up if that happens again and again.
    mutating func forgetFiles() {
        guard !hasForgotten, !files.isEmpty else { return }
        hasForgotten = true
        let used = Set(attachments.values.joined())
        files = files.filter { used.contains($0.key) }
    }

    /// Somebody else sends.
    mutating func post(_ text: String) {
        _ = room.append(text, by: Self.bob, milliseconds: Self.milliseconds)
        deliver()
    }

    enum Change {
        case edit, delete
        case react(isOn: Bool)
    }

    /// Somebody else changes a message.
    mutating func change(_ seq: Int64, _ change: Change) {
        guard let id = room.messages[seq]?.id else { return }
        let by = Self.bob.id
        let body: LogEvent.Body =
            switch change {
            case .edit: .edited(MessageEdit(messageID: id, messageSeq: seq, text: "edited", by: by))
            case .delete: .deleted(MessageDeletion(messageID: id, messageSeq: seq, by: by))
            case .react(let isOn):
                .reaction(Reaction(messageID: id, messageSeq: seq, user: by, emoji: "A", isOn: isOn))
            }
        append(body)
    }

    @discardableResult
    private mutating func append(_ body: LogEvent.Body) -> Receipt {
        let receipt = room.append(body, milliseconds: Self.milliseconds)
        deliver()
        return receipt
    }

    private mutating func push(_ frame: V1Frame) {
        if let payload = V1Encoder.encode(frame) { toClient.append(String(buffer: payload)) }
    }

    /// Queues live events, or leaves them out.
    mutating func deliver() {
        guard isConnected, hasResumed else { return }
        while sentSeq < room.head {
            guard toClient.count < queueLimit else {
                behindFrom = behindFrom ?? sentSeq + 1
                sentSeq = room.head
                return
            }
            sayBehind()
            sentSeq += 1
            toClient.append(room.json(sentSeq) ?? "")
        }
        if toClient.count < queueLimit { sayBehind() }
    }

    private mutating func sayBehind() {
        guard let from = behindFrom else { return }
        behindFrom = nil
        push(.behind([room.id: from...sentSeq]))
    }

    // MARK: Commands

    /// Executes the oldest command.
    mutating func step() {
        guard isConnected, !toServer.isEmpty else { return deliver() }
        let text = toServer.removeFirst()
        do throws(V1CommandError) {
            execute(try V1Decoder().decode(ByteBuffer(string: text)))
        } catch {
            push(.error(V1Failure(error), ref: error.ref))
        }
        hasResumed = true
        deliver()
    }

    private mutating func execute(_ request: V1Request) {
        let ref = request.ref
        switch request.command {
        case .resume(let positions): resume(positions[room.id], ref)
        case .send(let send): self.send(send, ref)
        case .history(var history):
            history.limit = min(Self.pageLimit, history.limit)
            toClient.append(room.page(history, ref: ref).json)
        case .edit(_, let message, let text):
            change(message, ref) { .edited(MessageEdit(messageID: message, messageSeq: $0, text: text, by: $1)) }
        case .delete(_, let message):
            if room.messages.contains(where: { $0.value.id == message && $0.value.isDeleted }) {
                if let ref { push(.ack(V1Ack(ref: ref, thread: room.id))) }
            } else {
                change(message, ref) { .deleted(MessageDeletion(messageID: message, messageSeq: $0, by: $1)) }
            }
        case .react(_, let message, let emoji, let isOn):
            change(message, ref) {
                .reaction(Reaction(messageID: message, messageSeq: $0, user: $1, emoji: emoji, isOn: isOn))
            }
        case .ping: break
        default: refuse(ref)
        }
    }

    private mutating func refuse(_ ref: Int64?) { push(.error(V1Failure(.notFound, ""), ref: ref)) }

    private mutating func resume(_ position: Position?, _ ref: Int64?) {
        guard let position else {
            // The client has what hello has told it, which may be void by now.
            let result = room.resumption(at: Position(epoch: Epoch(helloEpoch), seq: max(1, sentSeq)))
            guard result.state == .rolledBack else { return push(.resumed([:], ref: ref)) }
            sentSeq = room.head
            return push(.resumed([room.id: result], ref: ref))
        }
        var resumption = room.resumption(at: position)
        if resumption.state == .replayed, room.head - position.seq > Self.replayLimit { resumption.state = .page }
        if resumption.state == .replayed { toClient += room.events(after: position.seq) }
        sentSeq = room.head
        push(.resumed([room.id: resumption], ref: ref))
    }

    private mutating func send(_ send: V1Send, _ ref: Int64?) {
        let ids = send.parts.compactMap(\.attachment)
        guard let ref, ids.allSatisfy({ files[$0.text]?.isComplete == true }) else { return refuse(ref) }
        var send = send
        send.parts = ids.map { id in
            .media(MediaPart(type: "image/png", url: "/v1/attachments/\(id)", name: "a", attachment: id))
        }
        let receipt = room.accept(send, by: Self.alice, milliseconds: Self.milliseconds)
        if !ids.isEmpty { attachments[receipt.position.seq] = ids.map(\.text) }
        deliver()
        func ack(_ level: V1Send.Level) -> V1Ack {
            V1Ack(ref: ref, receipt: receipt, level: level, clientID: send.clientID)
        }
        push(.ack(ack(.accepted)))
        if receipt.position.seq <= room.stored {
            push(.ack(ack(.stored)))
        } else {
            waitingForStore.append(ack(.stored))
        }
    }

    private mutating func change(_ message: MessageID, _ ref: Int64?, _ body: (Int64, UserID) -> LogEvent.Body) {
        let target = room.messages.first { $0.value.id == message && !$0.value.isDeleted }
        guard let ref, let target else { return refuse(ref) }
        push(.ack(V1Ack(ref: ref, receipt: append(body(target.key, Self.alice.id)))))
    }
}
