import ParleyModel
import ParleyRedis
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// The core without Redis, store and clock: a reply goes in, and what follows is named.
@Suite("Appends in progress, as a value")
struct AppendCoreTests {

    @Test("appends are sent in order, pipelined once the epoch is known, and sent again if it is another")
    func order() {
        var run = QueueRun()
        #expect(run.append("1") == ["send 1"])
        #expect(run.append("2") == [])
        #expect(run.append("3") == [])
        #expect(run.reply(1, .accept(seq: 1)) == ["send 2 epoch1", "send 3 epoch1", "1: seq 1"])
        #expect(run.reply(2, .otherEpoch) == [])
        // Both are back.
        #expect(run.append("4") == [])
        #expect(run.reply(3, .otherEpoch) == ["send 2"])
        let next = run.reply(2, .accept(seq: 8, epoch: "epoch2"))
        #expect(next == ["send 3 epoch2", "send 4 epoch2", "2: seq 8"])
        #expect(run.reply(3, .accept(seq: 9, epoch: "epoch2")) == ["3: seq 9"])
        #expect(run.reply(3, .accept(seq: 9, epoch: "epoch2")) == [], "once")
        #expect(run.reply(4, .failed("lost")) == ["4: lost"])
    }

    @Test("scripts are loaded before the appends that need them are sent again")
    func scripts() {
        var run = QueueRun()
        _ = run.append("1")
        _ = run.reply(1, .accept(seq: 1))
        #expect(run.append("2") == ["send 2 epoch1"])
        #expect(run.append("3") == ["send 3 epoch1"])
        #expect(run.reply(2, .noScript) == ["load scripts"])
        #expect(run.reply(3, .noScript) == ["load scripts", "send 2"])
        for _ in 2..<PendingAppend.maximumAttempts { #expect(run.reply(2, .noScript) == ["load scripts", "send 2"]) }
        #expect(run.reply(2, .noScript) == ["send 3", "2: Redis does not keep the scripts"])
    }

    @Test("an unknown thread is sent again with its end from the store, or is refused with all that wait")
    func ends() {
        var run = QueueRun()
        _ = run.append("1")
        _ = run.append("2")
        #expect(run.reply(1, .unknownThread) == ["query end 1"])
        #expect(run.step { $0.seeded(1, .init(epoch: Epoch("new"), head: nil)) } == ["send 1 seeded"])
        #expect(run.reply(1, .behind) == ["query end 1"])
        let reason = AppendError.unavailable("away")
        #expect(run.step { $0.failed(1, reason) } == ["1: away", "2: away"])
        #expect(run.append("3") == ["send 3"], "the lane is free")
    }

    @Test("threads of a host are checked together, and a few at a time")
    func checks() {
        var run = QueueRun()
        let threads = (1...3).map { Samples.thread("t\($0)") }
        var first: [AppendCore.Request] = []
        for thread in threads { _ = run.append("hi", in: thread) }
        #expect(run.reply(1, .unchecked) == ["query threads"])
        #expect(run.reply(2, .unchecked) == [])
        #expect(run.reply(3, .unchecked) == [])
        #expect(run.step { first = $0.takeUnchecked(on: 0, limit: 2).map(\.request) } == ["query threads"])
        #expect(first == [1, 2])
        #expect(run.step { $0.checked([1, 2]) } == ["send 1", "send 2"])
        #expect(run.step { first = $0.takeUnchecked(on: 0, limit: 2).map(\.request) } == [])
        #expect(first == [3])
        #expect(run.step { $0.failed(3, .unavailable("away")) } == ["hi: away"])
        // Sent before the incarnation was known: it is sent again without a check.
        #expect(run.reply(1, .unchecked, isUnmarked: true) == ["send 1"])
    }

    @Test("a send that may be a repeat is looked up, and later appends of its thread wait")
    func lookups() {
        var run = QueueRun()
        for (text, name) in [("1", "a"), ("2", nil), ("3", "b")] {
            #expect(run.append(text, clientID: name) == (text == "1" ? ["query sends"] : []))
        }
        #expect(run.takeLookups() == [1, 3])
        let receipt = run.receipt(seq: 7)
        let stored = StoredSend(receipt: receipt, isSame: true)
        #expect(run.step { $0.lookedUp([1, 3], [stored, nil]) } == ["1: seq 7", "send 2"])
        #expect(run.reply(2, .accept(seq: 8)) == ["send 3 epoch1 checked", "2: seq 8"])
        #expect(run.reply(3, .sentBefore(run.first(seq: 5))) == ["3: seq 5"])
        #expect(run.append("4", clientID: "c") == ["query sends"])
        #expect(run.takeLookups() == [4])
        // It hangs: sends go on without it, until it has ended.
        #expect(run.step { $0.lookupsAreLate([4]) } == ["send 4 epoch1 checked"])
        #expect(run.append("5", clientID: "d") == ["send 5 epoch1 checked"])
        #expect(run.step { $0.lookupsEnded() } == [])
        #expect(run.append("6", clientID: "e") == ["query sends"])
    }

    @Test("a clientID with a time proves that it is new, once the clock of its host is known")
    func clocks() {
        var run = QueueRun()
        let now: Int64 = 1_700_000_000_000
        run.now = now
        let name = { (lead: Int64) in Samples.uuidv7(at: now + lead) }
        #expect(run.append("1", clientID: name(0)) == ["query sends"])
        #expect(run.takeLookups() == [1])
        #expect(run.step { $0.lookedUp([1], nil) } == ["send 1 checked"])
        #expect(run.reply(1, .accept(seq: 1, time: now + 50)) == ["1: seq 1"])
        #expect(run.append("2", clientID: name(51)) == ["send 2 epoch1"])
        #expect(run.append("3", clientID: name(52)) == ["query sends"])
        // Redis does not believe it: the clock is asked for again.
        #expect(run.reply(2, .unknownSend) == [])
        #expect(run.append("4", in: Samples.thread("u"), clientID: name(0)) == [])
        #expect(run.takeLookups() == [3, 2, 4])
        let replies = run.step { $0.lookedUp([3, 2, 4], [nil, nil, nil]) }
        #expect(replies.sorted() == ["send 2 epoch1 checked", "send 3 epoch1 checked", "send 4 checked"])
    }

    @Test("with several hosts a clientID is claimed first; a dispute is decided by the store")
    func claims() {
        var run = QueueRun(hosts: 2)
        run.now = 1_700_000_000_000
        #expect(run.append("1", clientID: "a") == ["claim 1"])
        #expect(run.append("2", clientID: "b") == ["claim 2"])
        #expect(run.step { $0.claimed(1, .noScript, on: 1, at: 0) } == ["load scripts", "claim 1"])
        #expect(run.step { $0.claimed(1, .taken, on: 1, at: 0) } == ["query sends"])
        #expect(run.step { $0.claimed(2, .failed, on: 1, at: 0) } == [])
        #expect(run.takeLookups() == [1, 2])
        #expect(run.step { $0.lookedUp([1, 2], nil) } == ["1: conflict", "send 2 checked"])
    }

    @Test("an append whose fate is unknown is looked for in the log before it is sent")
    func unknownFate() {
        var run = QueueRun()
        #expect(run.append("1", mayBeThere: true) == ["query newest 1"])
        #expect(run.append("2") == [])
        #expect(run.step { $0.notFound(1) } == ["send 1"])
        #expect(run.reply(1, .accept(seq: 1)) == ["send 2 epoch1", "1: seq 1"])
        #expect(run.append("3", mayBeThere: true) == [])
        #expect(run.reply(2, .accept(seq: 2)) == ["query newest 3", "2: seq 2"])
        let receipt = run.receipt(seq: 1)
        #expect(run.step { $0.found(3, .success(receipt)) } == ["3: seq 1"])
    }

    @Test("every append is completed once: by a limit, or when the log stops")
    func completion() {
        var settings = RedisLogSettings()
        settings.waitingPerThread = 1
        var run = QueueRun(settings)
        #expect(run.append("1") == ["send 1"])
        #expect(run.append("2") == [])
        #expect(run.append("3") == ["3: too many sends are waiting"])
        #expect(run.step { $0.stop() }.sorted() == ["1: the log has stopped", "2: the log has stopped"])
        #expect(run.append("4") == ["4: the log has stopped"])
        #expect(run.reply(1, .accept(seq: 1)) == [])
    }
}

/// A core whose actions are named: "send 2 epoch1", "1: seq 7".
private struct QueueRun {
    private var core: AppendCore
    private let results = Recorder<String>()
    var now: Int64 = 0

    init(_ settings: RedisLogSettings = RedisLogSettings(), hosts: Int = 1) {
        core = AppendCore(settings, hosts: hosts, digest: SendDigest(secret: []))
    }

    mutating func append(
        _ text: String, in thread: ThreadID = Samples.thread("t"), clientID: String? = nil, mayBeThere: Bool = false
    ) -> [String] {
        var draft = Samples.send(text, in: thread, clientID: clientID)
        draft.mayBeThere = mayBeThere
        let append = PendingAppend(draft: draft, payload: [], host: 0, digest: SendDigest(secret: [])) {
            [results] result in
            switch result {
            case .success(let receipt): results.record("\(text): seq \(receipt.position.seq)")
            case .failure(.unavailable(let reason)): results.record("\(text): \(reason)")
            case .failure(let error): results.record("\(text): \(error)")
            }
        }
        return step { [now] in $0.append(append, at: now) }
    }

    mutating func reply(_ request: AppendCore.Request, _ reply: AppendReply, isUnmarked: Bool = false) -> [String] {
        step { [now] in $0.replied(request, reply, isUnmarked: isUnmarked, at: now) }
    }

    mutating func takeLookups() -> [AppendCore.Request] {
        core.takeLookups().map(\.request)
    }

    mutating func step(_ event: (inout AppendCore) -> Void) -> [String] {
        event(&core)
        defer { core.actions = [] }
        return core.actions.map { action in
            switch action {
            case .send(let request, let append):
                let notes = [append.epoch?.text, append.seed.map { _ in "seeded" }, append.isChecked ? "checked" : nil]
                // A seed implies that the send was checked.
                return (["send \(request)"] + notes.compactMap(\.self).filter { $0 != "checked" || append.seed == nil })
                    .joined(separator: " ")
            case .claim(let request, _): return "claim \(request)"
            case .queryStore(.sends): return "query sends"
            case .queryStore(.end(let request)): return "query end \(request)"
            case .queryStore(.threads): return "query threads"
            case .queryStore(.newest(let request)): return "query newest \(request)"
            case .loadScripts: return "load scripts"
            case .publish: return "publish"
            case .complete(let completion, let result):
                completion(result)
                return results.elements.last ?? ""
            }
        }
    }

    func receipt(seq: Int64) -> Receipt {
        Receipt(
            thread: Samples.thread("t"), position: Position(epoch: Epoch("epoch1"), seq: seq), milliseconds: 0,
            messageID: nil)
    }

    func first(seq: Int64) -> AppendReply.First {
        AppendReply.First(
            head: PackedHead(seq: seq, messageCount: 0, milliseconds: 0, epoch: Epoch("epoch1")), digest: "",
            message: nil)
    }
}

extension AppendReply {
    fileprivate static func accept(seq: Int64, epoch: String = "epoch1", time: Int64 = 0) -> AppendReply {
        .accepted(PackedHead(seq: seq, messageCount: 0, milliseconds: 0, epoch: Epoch(epoch)), time: time)
    }
}
