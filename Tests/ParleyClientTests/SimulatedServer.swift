import ParleyClient
import ParleyJSON
import ParleyTestSupport

/// A server for one user, `a`, and one thread, `t`, as a value: it does what docs/PROTOCOL.md allows it to do, at moments
/// that a test draws. Frames wait in queues in both directions, and a cut loses them.
struct SimulatedServer {
    struct Message: Equatable {
        var seq: Int
        var sender: String
        var clientID: String?
        var text: String
        var isDeleted = false
        var attachments: [String] = []
        /// Users by emoji.
        var reactions: [String: Set<String>] = [:]
    }

    enum Entry {
        case message(Int)
        case edited(Int), deleted(Int)
        case reaction(Int, user: String, emoji: String, isOn: Bool)
    }

    private(set) var epoch = "e0"
    var hasLostLog: Bool { epoch != "e0" }
    /// By `seq`, from 1 on.
    private(set) var log: [Entry] = []
    private(set) var messages: [Int: Message] = [:]
    private var names: [String: Int] = [:]
    /// Sizes, and how much of each has arrived.
    private var files: [String: (size: Int, received: Int, isComplete: Bool)] = [:]
    private var lastFile = 0
    private var hasForgotten = false
    /// What is in the database: a lost log goes on from here.
    private var stored = 0
    private var waitingForStore: [(seq: Int, frame: String)] = []

    // The connection, if there is one.
    private(set) var isConnected = false
    /// The position up to which live events were queued.
    private var sentSeq = 0
    /// The epoch that hello has told.
    private var helloEpoch = ""
    private var hasResumed = false
    private var behindFrom: Int?
    var toClient: [String] = []
    var toServer: [String] = []
    /// Live events above this many are left out.
    var queueLimit = 8

    // MARK: What a test does

    mutating func connect() {
        isConnected = true
        hasResumed = false
        behindFrom = nil
        (toClient, toServer, waitingForStore) = ([], [], [])
        sentSeq = log.count
        helloEpoch = epoch
        toClient.append(
            """
            {"type":"hello","protocol":1,"user":{"id":"a","username":"alice"},"ping_interval_ms":25000,
            "threads":[\(MachineHarness.thread("t", epoch: epoch, seq: log.count))]}
            """)
    }

    mutating func cut() {
        isConnected = false
        (toClient, toServer, waitingForStore) = ([], [], [])
    }

    /// The database catches up with the log.
    mutating func store() {
        stored = log.count
        if isConnected { toClient += waitingForStore.map(\.frame) }
        waitingForStore = []
    }

    /// The log is lost: what is not stored is gone, and the numbering starts over above what is.
    mutating func loseLog() {
        let from = stored + 1
        for seq in from..<max(from, log.count + 1) { messages[seq] = nil }
        names = names.filter { $0.value <= stored }
        log.removeLast(log.count - stored)
        epoch += "x"
        waitingForStore = []
        rebuild()
        sentSeq = log.count
        // The answer to the resume will say it.
        guard isConnected, hasResumed else { return }
        behindFrom = nil
        toClient.append(Self.resumed("rolled_back", epoch, from, log.count))
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
        let used = Set(messages.values.flatMap(\.attachments))
        files = files.filter { used.contains($0.key) }
    }

    /// The current state of each message, from the log that is left.
    private mutating func rebuild() {
        for seq in messages.keys {
            messages[seq]?.isDeleted = false
            messages[seq]?.reactions = [:]
        }
        for entry in log { apply(entry) }
    }

    mutating func post(_ text: String, by sender: String = "b", clientID: String? = nil) -> Int {
        let seq = log.count + 1
        messages[seq] = Message(seq: seq, sender: sender, clientID: clientID, text: text)
        append(.message(seq))
        return seq
    }

    mutating func append(_ entry: Entry) {
        log.append(entry)
        apply(entry)
        deliver()
    }

    private mutating func apply(_ entry: Entry) {
        switch entry {
        case .message: break
        case .edited(let seq): messages[seq]?.text = "edited"
        case .deleted(let seq):
            messages[seq]?.isDeleted = true
            messages[seq]?.text = ""
            messages[seq]?.reactions = [:]
        case .reaction(let seq, let user, let emoji, let isOn):
            guard messages[seq]?.isDeleted == false else { return }
            if isOn {
                messages[seq]?.reactions[emoji, default: []].insert(user)
            } else {
                messages[seq]?.reactions[emoji]?.remove(user)
                if messages[seq]?.reactions[emoji]?.isEmpty == true { messages[seq]?.reactions[emoji] = nil }
            }
        }
    }

    /// Queues live events, or leaves them out.
    mutating func deliver() {
        guard isConnected, hasResumed else { return }
        while sentSeq < log.count {
            guard toClient.count < queueLimit else {
                behindFrom = behindFrom ?? sentSeq + 1
                sentSeq = log.count
                return
            }
            if let from = behindFrom {
                toClient.append(#"{"type":"behind","threads":{"t":{"from":\#(from),"to":\#(sentSeq)}}}"#)
                behindFrom = nil
            }
            sentSeq += 1
            toClient.append(frame(sentSeq))
        }
        if let from = behindFrom, toClient.count < queueLimit {
            toClient.append(#"{"type":"behind","threads":{"t":{"from":\#(from),"to":\#(sentSeq)}}}"#)
            behindFrom = nil
        }
    }

    // MARK: Commands

    /// Executes the oldest command.
    mutating func step() {
        guard isConnected, !toServer.isEmpty, let command = try? JSONTree(parsing: toServer.removeFirst()) else {
            return deliver()
        }
        let ref = command["ref"]?.integer ?? 0
        if let resume = command["resume"] {
            self.resume(resume["threads"]?["t"], ref)
        } else if let message = command["message"] {
            send(message, ref)
        } else if let history = command["history"] {
            toClient.append(page(history, ref))
        } else if let (entry, isRepeat) = change(command) {
            if !isRepeat { append(entry) }
            let position = isRepeat ? "" : #","epoch":"\#(epoch)","seq":\#(log.count),"date_ms":1"#
            toClient.append(#"{"type":"ack","ref":\#(ref),"thread_id":"t"\#(position)}"#)
        } else if command["ping"] == nil {
            toClient.append(#"{"type":"error","ref":\#(ref),"code":"not_found","message":"","retryable":false}"#)
        }
        hasResumed = true
        deliver()
    }

    private mutating func resume(_ position: JSONTree?, _ ref: Int64) {
        let their = position?["epoch"]?.text ?? helloEpoch
        let seq = position?["seq"]?.integer.map(Int.init) ?? sentSeq
        if their != epoch {
            toClient.append(Self.resumed("rolled_back", epoch, 1, log.count, ref: ref))
        } else if position == nil {
            return toClient.append(#"{"type":"resumed","ref":\#(ref),"threads":{}}"#)
        } else if log.count - seq > 20 {
            toClient.append(Self.resumed("page", epoch, seq + 1, log.count, ref: ref))
        } else {
            for seq in (seq + 1)..<max(seq + 1, log.count + 1) { toClient.append(frame(seq)) }
            toClient.append(Self.resumed(seq < log.count ? "replayed" : "live", epoch, seq + 1, log.count, ref: ref))
        }
        sentSeq = log.count
    }

    private static func resumed(
        _ state: String, _ epoch: String, _ from: Int, _ to: Int, ref: Int64? = nil
    ) -> String {
        """
        {"type":"resumed",\(ref.map { #""ref":\#($0),"# } ?? "")"threads":{"t":{"state":"\(state)","epoch":"\(epoch)","from":\(from),"to":\(to)}}}
        """
    }

    private mutating func send(_ message: JSONTree, _ ref: Int64) {
        let name = message["client_id"]?.text ?? ""
        let isRepeat = names[name] != nil
        let attachments = (message["parts"]?.elements ?? []).compactMap { $0["attachment"]?.text }
        guard attachments.allSatisfy({ files[$0]?.isComplete == true }) else {
            toClient.append(#"{"type":"error","ref":\#(ref),"code":"not_found","message":"","retryable":false}"#)
            return
        }
        let seq = names[name] ?? post(message["text"]?.text ?? "", by: "a", clientID: name)
        names[name] = seq
        messages[seq]?.attachments = attachments
        func ack(_ level: String) -> String {
            """
            {"type":"ack","ref":\(ref),"level":"\(level)","thread_id":"t","epoch":"\(epoch)","seq":\(seq),"id":"m\(seq)",
            "date_ms":1,"repeat":\(isRepeat)}
            """
        }
        toClient.append(ack("accepted"))
        if seq <= stored { toClient.append(ack("stored")) } else { waitingForStore.append((seq, ack("stored"))) }
    }

    private func change(_ command: JSONTree) -> (Entry, isRepeat: Bool)? {
        for name in ["edit", "delete", "react"] {
            guard let fields = command[name], let id = fields["message_id"]?.text, let seq = Int(id.dropFirst()),
                let message = messages[seq]
            else { continue }
            switch name {
            case "edit": return message.isDeleted ? nil : (.edited(seq), false)
            case "delete": return (.deleted(seq), message.isDeleted)
            default:
                guard !message.isDeleted, let emoji = fields["emoji"]?.text, case .bool(let isOn)? = fields["on"]
                else { return nil }
                return (.reaction(seq, user: "a", emoji: emoji, isOn: isOn), false)
            }
        }
        return nil
    }

    private func page(_ history: JSONTree, _ ref: Int64) -> String {
        let before = history["before"]?.integer.map(Int.init) ?? log.count + 1
        let after = history["after"]?.integer.map(Int.init) ?? 0
        let limit = min(5, history["limit"]?.integer.map(Int.init) ?? 30)
        var seqs = Array(log.indices).map { $0 + 1 }.filter { $0 > after && $0 < before }
        seqs = history["after"] != nil ? Array(seqs.prefix(limit)) : Array(seqs.suffix(limit))
        let more = (seqs.first.map { $0 > 1 } ?? (before > 1), seqs.last.map { $0 < log.count } ?? (after < log.count))
        return MachineHarness.page(
            seqs.map { frame($0) }, ref: Int(ref), epoch: epoch, more: more, head: log.count)
    }

    /// An event, with messages and edits in their current state, as `history` and a replay show them.
    private func frame(_ seq: Int) -> String {
        let head = #""thread_id":"t","epoch":"\#(epoch)","seq":\#(seq),"date_ms":1"#
        switch log[seq - 1] {
        case .message(let seq):
            guard let message = messages[seq] else { return "" }
            let reactions = message.reactions.sorted { $0.key < $1.key }.map { emoji, users in
                let list = users.sorted().map { "\"\($0)\"" }.joined(separator: ",")
                return #"{"emoji":"\#(emoji)","count":\#(users.count),"users":[\#(list)]}"#
            }
            let client = message.clientID.map { #","client_id":"\#($0)""# } ?? ""
            return """
                {"type":"message",\(head),"id":"m\(seq)","text":"\(message.text)","sender_id":"\(message.sender)",
                "sender_name":"x"\(client),"deleted":\(message.isDeleted),"reactions":[\(reactions.joined(separator: ","))]}
                """
        case .edited(let target):
            return #"{"type":"edited",\#(head),"message_seq":\#(target),"text":"\#(messages[target]?.text ?? "")"}"#
        case .deleted(let target): return #"{"type":"deleted",\#(head),"message_seq":\#(target)}"#
        case .reaction(let target, let user, let emoji, let isOn):
            return """
                {"type":"reaction",\(head),"message_seq":\(target),"user_id":"\(user)","emoji":"\(emoji)","on":\(isOn)}
                """
        }
    }
}
