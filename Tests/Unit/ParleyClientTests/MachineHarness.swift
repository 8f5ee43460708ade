import ParleyClient
import ParleyJSON

/// A core with the time that a test gives it, and what it has answered.
struct MachineHarness {
    var core: ChatMachine
    var uptime = Duration.zero
    /// What the core has stored.
    let storage: MemoryStorage
    /// The commands that it has transmitted, as JSON, oldest first.
    var commands: [JSONTree] = []
    var actions: [MachineAction] = []

    init(
        limits: ChatMachine.Limits = ChatMachine.Limits(), seed: UInt64 = 1, storage: MemoryStorage = MemoryStorage()
    ) {
        self.storage = storage
        core = ChatMachine(limits: limits, seed: seed)
    }

    @discardableResult
    mutating func handle(_ event: MachineEvent) -> MachineOutput {
        let output = core.handle(
            event, at: Now(uptime: uptime, milliseconds: 1_795_255_200_000 + Int64(uptime.components.seconds) * 1000))
        storage.apply(output.changes)
        actions = output.actions
        for case .transmit(let text) in output.actions {
            if let tree = try? JSONTree(parsing: text) { commands.append(tree) }
        }
        return output
    }

    /// A frame of the server.
    @discardableResult
    mutating func receive(_ json: String...) -> MachineOutput {
        handle(.frames(json.map { ServerFrame(Array($0.utf8)) }))
    }

    /// Connects as `alice`, a member of the thread `t` (and of `u`, if it is given).
    /// - Parameter isResumed: Whether the server answers the resume.
    mutating func connect(seq: Int = 0, epoch: String = "e", other: Int? = nil, isResumed: Bool = true) {
        handle(.start)
        handle(.opened)
        commands = []
        var threads = [Self.thread("t", epoch: epoch, seq: seq)]
        if let other { threads.append(Self.thread("u", epoch: epoch, seq: other)) }
        receive(
            """
            {"type":"hello","protocol":2,"user":{"id":"a","username":"alice"},"ping_interval_ms":25000,
            "ticket":"ticket","threads":[\(threads.joined(separator: ","))]}
            """)
        guard isResumed else { return }
        let greeting = actions
        receive(#"{"type":"resumed","ref":\#(ref("resume")),"threads":{}}"#)
        actions = greeting + actions
    }

    /// The connection is lost, and the next one is greeted.
    mutating func reconnect(seq: Int = 0, epoch: String = "e") {
        handle(.closed(code: nil))
        uptime += .seconds(60)
        handle(.tick)
        connect(seq: seq, epoch: epoch)
    }

    static func thread(_ id: String, epoch: String, seq: Int) -> String {
        """
        {"id":"\(id)","title":"T","kind":"room","role":"member","epoch":"\(epoch)","seq":\(seq),"unread":0,"read_seq":0}
        """
    }

    static func message(
        _ seq: Int, in thread: String = "t", epoch: String = "e", by user: String = "b", client: String? = nil,
        text: String? = nil
    ) -> String {
        let clientID = client.map { ",\"client_id\":\"\($0)\"" } ?? ""
        return """
            {"type":"message","thread_id":"\(thread)","epoch":"\(epoch)","seq":\(seq),"date":1795255200,
            "date_ms":1795255200123,"id":"m\(seq)","text":"\(text ?? "text \(seq)")","sender_id":"\(user)",
            "sender_name":"\(user)"\(clientID)}
            """
    }

    static func page(
        _ events: [String], ref: Int, thread: String = "t", epoch: String = "e", more: (Bool, Bool) = (false, false),
        head: Int
    ) -> String {
        """
        {"type":"page","ref":\(ref),"thread_id":"\(thread)","epoch":"\(epoch)",
        "events":[\(events.joined(separator: ","))],"has_more_before":\(more.0),"has_more_after":\(more.1),
        "head_seq":\(head)}
        """
    }

    /// An ack of the command transmitted last with this name.
    func ack(_ name: String = "message", seq: Int, level: String = "accepted") -> String {
        """
        {"type":"ack","ref":\(ref(name)),"level":"\(level)","thread_id":"t","epoch":"e","seq":\(seq),
        "date":1795255200,"date_ms":1795255200123,"id":"m\(seq)"}
        """
    }

    func ref(_ name: String) -> Int64 { commands.last { $0[name] != nil }?["ref"]?.integer ?? -1 }

    /// The texts that were sent as messages, oldest first.
    var sent: [String] { commands.compactMap { $0["message"]?["text"]?.text } }

    /// The texts that are cached, by `seq`.
    func texts(in thread: String = "t") -> [Int: String] {
        let messages = storage.messages(in: thread, from: 0, to: 1_000_000, limit: 100_000, newest: false)
        return Dictionary(uniqueKeysWithValues: messages.map { ($0.seq, $0.text) })
    }
}
