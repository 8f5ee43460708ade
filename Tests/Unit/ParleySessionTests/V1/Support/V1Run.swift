import ParleyModel
import ParleySession
import ParleyWire

/// A v1 session and its client for tests: each call returns the resulting actions.
struct V1Run {
    typealias Action = V1Session.Action

    static let room = TestClient.room
    static let epoch = Epoch("e1")

    var session: V1Session
    var client = V1Client()
    var now: Int64 = 0

    /// - Parameter isLive: hello was sent, and its hold has ended.
    init(outboundBytes: Int = 65_536, isLive: Bool = true) {
        session = V1Session(outboundBytes: outboundBytes)
        guard isLive else { return }
        _ = open()
        _ = wake(after: V1Session.holdTime)
    }

    // MARK: Events

    mutating func open(_ heads: [ThreadID: Position] = [:]) -> [Action] {
        step { $0.opened(Self.hello(heads), at: $1, &$2) }
    }

    mutating func receive(_ command: V1Command, ref: Int64? = nil) -> [Action] {
        step { $0.received(.success(V1Request(ref: ref, command)), at: $1, &$2) }
    }

    mutating func send(_ text: String, ref: Int64? = nil, level: V1Send.Level = .accepted) -> [Action] {
        receive(.send(V1Send(thread: Self.room, text: text, clientID: "c-\(text)", level: level)), ref: ref)
    }

    mutating func receive(_ violation: V1CommandError) -> [Action] {
        step { $0.received(.failure(violation), at: $1, &$2) }
    }

    mutating func accept(_ number: UInt64, seq: Int64, isRepeat: Bool = false) -> [Action] {
        step { $0.appended(number, .success(Self.receipt(seq, isRepeat: isRepeat)), at: $1, &$2) }
    }

    mutating func refuse(_ number: UInt64, _ failure: V1Failure) -> [Action] {
        step { $0.appended(number, .failure(failure), at: $1, &$2) }
    }

    mutating func attached(
        _ number: UInt64, _ result: Result<(id: MessageID, parts: [MessagePart]), V1Failure>
    ) -> [Action] {
        step { $0.attached(number, result, at: $1, &$2) }
    }

    mutating func finish(_ number: UInt64, _ result: Result<V1Outcome, V1Failure>) -> [Action] {
        step { $0.finished(number, result, at: $1, &$2) }
    }

    mutating func findThreads(_ access: [ThreadID: ThreadAccess]?) -> [Action] {
        step { $0.foundThreads(access, at: $1, &$2) }
    }

    mutating func findEnds(_ ends: [ThreadID: Position]?, unavailable: Set<ThreadID> = []) -> [Action] {
        step { $0.foundEnds(ends, unavailable: unavailable, at: $1, &$2) }
    }

    mutating func becomeAvailable(_ end: Position?, _ thread: ThreadID = room) -> [Action] {
        step { session, _, actions in session.becameAvailable(thread, after: end, &actions) }
    }

    mutating func readLog(_ seqs: ClosedRange<Int64>?, in thread: ThreadID = room) -> [Action] {
        let slice = seqs.map {
            LogSlice(epoch: Self.epoch, events: Self.events($0, in: thread), end: 0, isTruncated: false)
        }
        return step { $0.readLog(thread, slice, at: $1, &$2) }
    }

    mutating func readLog(_ slice: LogSlice, in thread: ThreadID = room) -> [Action] {
        step { $0.readLog(thread, slice, at: $1, &$2) }
    }

    mutating func readStore(_ page: LogPage?, in thread: ThreadID = room) -> [Action] {
        step { $0.readStore(thread, page, at: $1, &$2) }
    }

    mutating func stored(_ seq: Int64, in thread: ThreadID = room, epoch: Epoch = epoch) -> [Action] {
        step { session, _, actions in session.stored(thread, seq: seq, epoch: epoch, &actions) }
    }

    mutating func foundStored(_ receipts: [Receipt], at position: Position? = nil) -> [Action] {
        let found = receipts.map { StoredReceipt($0, at: position ?? $0.position) }
        return step { session, _, actions in session.foundStored(found, &actions) }
    }

    /// Delivers events.
    /// - Parameter bytes: the size of each.
    mutating func deliver(
        _ seqs: ClosedRange<Int64>, in thread: ThreadID = room, epoch: Epoch = epoch, bytes: Int = 100
    ) -> (isWritten: Bool, actions: [Action]) {
        deliver(
            seqs.map { SharedFrame(Self.event($0, in: thread, epoch: epoch), for: []) }, in: thread,
            bytes: bytes * seqs.count)
    }

    mutating func deliver(
        _ frames: [SharedFrame], in thread: ThreadID = room, bytes: Int = 100
    ) -> (isWritten: Bool, actions: [Action]) {
        var isWritten = false
        let actions = step { session, moment, actions in
            let waiting = moment.waitingBytes
            isWritten = session.deliver(frames, in: thread, bytes: bytes, waiting: waiting, &actions)
        }
        return (isWritten, actions)
    }

    mutating func presence(_ presence: V1Presence) -> [Action] {
        step { session, _, actions in session.presence(presence, &actions) }
    }

    mutating func profileChanged(of user: User, to profile: Profile) -> [Action] {
        let frame = SharedFrame(user, profile)
        return step { session, _, actions in session.profileChanged(of: user.id, frame, &actions) }
    }

    mutating func add(_ thread: V1Thread) -> [Action] {
        client.memberships[thread.thread.id] = Membership(thread: thread.thread, role: thread.role)
        return step { session, _, actions in session.membershipAdded(thread, &actions) }
    }

    mutating func remove(_ thread: V1Thread) -> [Action] {
        client.memberships[thread.thread.id] = nil
        return step { $0.membershipRemoved(thread, at: $1, &$2) }
    }

    mutating func drained() -> [Action] {
        step { $0.drained(at: $1, &$2) }
    }

    mutating func wake(after microseconds: Int64 = 0) -> [Action] {
        now += microseconds
        return step { $0.wake(at: $1, &$2) }
    }

    mutating func drain(after delay: Int64) -> [Action] {
        step { $0.drain(after: delay, ticket: "t", at: $1, &$2) }
    }

    mutating func step(_ body: (inout V1Session, V1Session.Moment, inout [Action]) -> Void) -> [Action] {
        var actions: [Action] = []
        let moment = V1Session.Moment(now: now, waitingBytes: client.waitingBytes)
        body(&session, moment, &actions)
        while let query = session.query { session.answered(client.facts(for: query), at: moment, &actions) }
        return actions
    }

    // MARK: Shorthands

    static func hello(_ heads: [ThreadID: Position]) -> V1Hello {
        V1Hello(
            connection: ConnectionID(trusted: "c"), node: "n", user: TestClient.alice, serverTime: 0,
            pingIntervalMilliseconds: 25_000, limits: Limits(), ticket: nil,
            threads: heads.sorted { $0.key.text < $1.key.text }.map { thread(named: $0.key, head: $0.value) },
            hasMore: false)
    }

    static func thread(named id: ThreadID = room, head: Position? = nil) -> V1Thread {
        V1Thread(thread: ThreadInfo(id: id, kind: .room, title: id.text), role: .member, head: head)
    }

    static func position(_ seq: Int64, _ epoch: Epoch = epoch) -> Position { Position(epoch: epoch, seq: seq) }

    static func head(_ seq: Int64) -> ThreadHead {
        ThreadHead(position: position(seq), milliseconds: seq, messageCount: seq)
    }

    static func receipt(_ seq: Int64, isRepeat: Bool = false) -> Receipt {
        Receipt(
            thread: room, position: position(seq), milliseconds: seq, messageID: MessageID(trusted: "m\(seq)"),
            isRepeat: isRepeat)
    }

    static func event(_ seq: Int64, in thread: ThreadID = room, epoch: Epoch = epoch, text: String? = nil) -> LogEvent {
        LogEvent(
            thread: thread, position: position(seq, epoch), milliseconds: seq, messageCount: seq,
            body: .message(
                Message(id: MessageID(trusted: "m\(seq)"), sender: TestClient.bob, text: text ?? "\(seq)")))
    }

    static func events(_ seqs: ClosedRange<Int64>, in thread: ThreadID = room) -> [LogEvent] {
        seqs.map { event($0, in: thread) }
    }
}

extension [V1Session.Action] {
    /// The frames for the client, events aside.
    var frames: [V1Frame] {
        compactMap { if case .send(let frame) = $0 { frame } else { nil } }
    }

    /// The seqs of the events that go to the client by actions.
    var seqs: [Int64] {
        flatMap { action -> [Int64] in
            switch action {
            case .replay(let events): events.map(\.position.seq)
            case .write(let held): held.compactMap { $0.frame.position?.seq }
            default: []
            }
        }
    }

    var acks: [V1Ack] {
        frames.compactMap { if case .ack(let ack) = $0 { ack } else { nil } }
    }

    /// The codes of the errors, with their refs.
    var errors: [Rejection] {
        frames.compactMap { if case .error(let failure, let ref) = $0 { Rejection(failure.code, ref) } else { nil } }
    }

    struct Rejection: Hashable {
        let code: V1ErrorCode
        let ref: Int64?

        init(_ code: V1ErrorCode, _ ref: Int64?) {
            self.code = code
            self.ref = ref
        }
    }

    var failures: [V1Failure] {
        frames.compactMap { if case .error(let failure, _) = $0 { failure } else { nil } }
    }

    var resumed: [ThreadID: V1Resumption]? {
        frames.lazy.compactMap { if case .resumed(let threads, _) = $0 { threads } else { nil } }.first
    }

    var behind: [ThreadID: ClosedRange<Int64>]? {
        frames.lazy.compactMap { if case .behind(let ranges) = $0 { ranges } else { nil } }.first
    }

    var pages: [V1Page] {
        frames.compactMap { if case .page(let page) = $0 { page } else { nil } }
    }

    var appends: [V1Append] {
        compactMap { if case .append(let append) = $0 { append } else { nil } }
    }

    var closes: [CloseReason] {
        compactMap { if case .close(let reason) = $0 { reason } else { nil } }
    }

    var wakes: [Int64] {
        compactMap { if case .wake(let after) = $0 { after } else { nil } }
    }
}
