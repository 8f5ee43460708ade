import ParleyModel
import ParleySession
import ParleyTestSupport
import ParleyWire
import Testing

/// In whatever order events and results arrive, requested or not, a session stays within its bounds.
@Suite struct V1RandomTests {
    private static let threads = ["room", "other", "new"].map { ThreadID(trusted: $0) }

    @Test("3,000 random runs never trap, emit nothing after a close, and stay within bounds")
    func lives() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("V1RandomTests seed \(seed)")
        var random = SeededGenerator(seed)
        for _ in 0..<3000 {
            var run = V1Run(outboundBytes: Int.random(in: 1...4000, using: &random), isLive: false)
            var (isClosed, opened) = (false, 0)
            for _ in 0..<80 {
                let actions = Self.step(&run, &random)
                #expect(!isClosed || actions.isEmpty)
                isClosed = isClosed || !actions.closes.isEmpty
                #expect(actions.closes.isEmpty || actions.last == .close(actions.closes[0]))
                opened += actions.frames.count { if case .hello = $0 { true } else { false } }
                #expect(opened > 0 || actions.frames.isEmpty || isClosed || actions.isBye)
                run.client.waitingBytes = max(
                    0, run.client.waitingBytes + actions.count * 50 - Int.random(in: 0...200, using: &random))
            }
            #expect(opened <= 1)
        }
    }

    private static func step(_ run: inout V1Run, _ random: inout SeededGenerator) -> [V1Session.Action] {
        let thread = threads[Int.random(in: 0..<3, using: &random)]
        let seq = Int64.random(in: 0...20, using: &random)
        let number = UInt64.random(in: 0...6, using: &random)
        switch Int.random(in: 0..<22, using: &random) {
        case 0: return run.open([thread: V1Run.position(seq)])
        case 1: return run.receive(.resume([thread: V1Run.position(seq)]), ref: 1)
        case 2: return run.send("x", ref: seq, level: seq % 2 == 0 ? .accepted : .stored)
        case 3: return run.receive(.history(V1HistoryRequest(thread: thread, before: seq)), ref: 2)
        case 4: return run.receive(.edit(thread: thread, message: MessageID(trusted: "m"), text: "x"), ref: 3)
        case 5: return run.receive(.typing(thread: thread, isOn: seq % 2 == 0))
        case 6: return run.receive(.join(title: "x"), ref: 4)
        case 7: return run.receive(.ping(seq))
        case 8: return run.receive(V1CommandError(code: .badRequest, message: "x"))
        case 9: return run.accept(number, seq: seq, isRepeat: seq % 3 == 0)
        case 10: return run.refuse(number, V1Failure(.unavailable, "x"))
        case 11: return run.finish(number, .success(.done))
        case 12: return run.receive(.read(thread: thread, seq: seq), ref: 5)
        case 13: return run.findThreads(seq == 0 ? nil : [thread: [.unknown, .nonMember][Int(seq % 2)]])
        case 14: return run.findEnds(seq == 0 ? nil : [thread: V1Run.position(seq)])
        case 15: return run.readLog(seq == 0 ? nil : 1...seq, in: thread)
        case 16: return run.readStore(LogPage(events: [], hasMore: false, head: nil), in: thread)
        case 17, 18: return run.deliver(seq...seq + 1, in: thread, bytes: Int(seq) * 100).actions
        case 19: return run.drained()
        case 20: return run.wake(after: seq * 100_000)
        default:
            switch seq {
            case 0: return run.drain(after: 100_000)
            case 1: return run.remove(V1Run.thread(named: thread))
            case 2: return run.add(V1Run.thread(named: thread))
            default: return run.stored(seq, in: thread)
            }
        }
    }
}

extension [V1Session.Action] {
    fileprivate var isBye: Bool {
        frames.allSatisfy { if case .bye = $0 { true } else { false } }
    }
}
