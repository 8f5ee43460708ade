import ParleyModel
import ParleySession
import ParleyWire
import Testing

/// Typing, stored acks, drain, and the memory of an idle session.
@Suite struct V1LifeTests {
    private static let second: Int64 = 1_000_000

    // MARK: Typing

    @Test("typing is published by the owner, and its result is the reply")
    func typing() {
        var run = V1Run()
        #expect(
            run.receive(.typing(thread: V1Run.room, isOn: true), ref: 1)
                == [.showTyping(number: 0, TestClient.roomMembership, isOn: true)])
        #expect(run.finish(0, .success(.done)).acks == [V1Ack(ref: 1)])
    }

    // MARK: Stored

    private func stored(_ ref: Int64, _ seq: Int64, isRepeat: Bool = false) -> V1Ack {
        V1Ack(
            ref: ref, receipt: V1Run.receipt(seq, isRepeat: isRepeat), level: .stored, clientID: "c-\(ref)")
    }

    @Test("a send of level stored gets a second ack when it is stored")
    func storedAck() throws {
        var run = V1Run()
        let append = try #require(run.send("1", ref: 1, level: .stored).appends.first)
        #expect(append.wantsStored)
        let accepted = run.accept(append.number, seq: 5)
        #expect(accepted.acks.map(\.level) == [.accepted])
        #expect(run.stored(4).isEmpty)
        #expect(run.stored(5, in: ThreadID(trusted: "other")).isEmpty)
        #expect(run.stored(5).acks == [stored(1, 5)])
        #expect(run.stored(5).isEmpty)
    }

    @Test("an event stored at the same seq of another epoch is another message")
    func storedElsewhere() {
        var run = V1Run()
        _ = run.send("0", ref: 0, level: .stored)
        _ = run.accept(0, seq: 4)
        _ = run.send("1", ref: 1, level: .stored)
        let (own, other) = (V1Run.receipt(5).position.epoch, Epoch("other"))
        #expect(run.stored(4, epoch: other).isEmpty)
        #expect(run.stored(5, epoch: other).isEmpty)
        #expect(run.accept(1, seq: 5).acks.map(\.level) == [.accepted])
        #expect(run.stored(5, epoch: own).acks == [stored(1, 5)])
        #expect(run.stored(4, epoch: own).acks == [stored(0, 4)])
    }

    @Test("the stored event may come before the append's result and the first ack")
    func storedEarly() {
        var run = V1Run()
        _ = run.send("0", ref: 0)
        _ = run.send("1", ref: 1, level: .stored)
        #expect(run.stored(5).isEmpty)
        #expect(run.accept(1, seq: 5).frames.isEmpty)
        #expect(run.accept(0, seq: 4).acks.map(\.level) == [.accepted, .accepted, .stored])
    }

    @Test("a repeat asks the store, since its stored event may have come long ago")
    func storedRepeat() {
        var run = V1Run()
        _ = run.send("1", ref: 1, level: .stored)
        let actions = run.accept(0, seq: 5, isRepeat: true)
        #expect(actions.contains(.findStored([V1Run.receipt(5, isRepeat: true)])))
        #expect(run.foundStored([]).isEmpty)
        #expect(run.foundStored([V1Run.receipt(5)]).acks == [stored(1, 5, isRepeat: true)])
    }

    @Test("a repeat whose first event was moved is acknowledged where it is stored")
    func storedRepeatMoved() {
        var run = V1Run()
        _ = run.send("1", ref: 1, level: .stored)
        _ = run.accept(0, seq: 5, isRepeat: true)
        let place = Position(epoch: Epoch("later"), seq: 9)
        let acks = run.foundStored([V1Run.receipt(5)], at: place).acks
        #expect(acks.map(\.level) == [.stored])
        #expect(acks.map(\.receipt?.position) == [place])
        #expect(run.wake(after: 10 * Self.second).isEmpty)
    }

    @Test("without a stored event the store is asked every two seconds")
    func storedWithoutNews() {
        var run = V1Run()
        _ = run.send("1", ref: 1, level: .stored)
        #expect(run.accept(0, seq: 5).wakes == [2 * Self.second])
        for _ in 0..<3 {
            let actions = run.wake(after: 2 * Self.second)
            #expect(actions == [.findStored([V1Run.receipt(5)]), .wake(after: 2 * Self.second)])
        }
        #expect(run.foundStored([V1Run.receipt(5)]).acks.count == 1)
        #expect(run.wake(after: 2 * Self.second).isEmpty)
    }

    @Test("sends without a ref and rejected sends do not wait to be stored")
    func storedForNobody() throws {
        var run = V1Run()
        #expect(run.send("1", level: .stored).appends.first?.wantsStored == false)
        _ = run.accept(0, seq: 1)
        #expect(run.send("2", ref: 2, level: .stored).appends.first?.wantsStored == true)
        _ = run.refuse(1, V1Failure(.conflict, "x"))
        #expect(run.stored(1).isEmpty)
        #expect(run.wake(after: 10 * Self.second).isEmpty)
    }

    @Test("256 sends may wait to be stored; one more is rejected until another is stored")
    func storedBound() {
        var run = V1Run()
        for index in 0..<256 {
            #expect(run.send("\(index)", ref: 1, level: .stored).appends.count == 1)
            _ = run.accept(UInt64(index), seq: Int64(index + 1))
        }
        #expect(run.send("x", ref: 2, level: .stored).errors == [.init(.unavailable, 2)])
        #expect(run.send("y", ref: 3).appends.count == 1)
        #expect(run.stored(7).acks.count == 1)
        #expect(run.send("z", ref: 4, level: .stored).appends.count == 1)
    }

    // MARK: Drain

    @Test("bye is sent at once, the close after the delay")
    func drains() {
        var run = V1Run()
        let actions = run.drain(after: 3_200_000)
        #expect(actions.frames == [.bye(reconnectAfterMilliseconds: 3200, ticket: "t")])
        #expect(actions.wakes == [3_200_000])
        #expect(run.receive(.ping(1)).frames.count == 1)
        #expect(run.wake(after: 3_200_000).closes == [.draining])
        #expect(CloseReason.draining.code == 4200)
    }

    @Test("sends in progress are answered before the close, and no new ones begin")
    func drainsInFlight() {
        var run = V1Run()
        _ = run.send("1", ref: 1)
        _ = run.drain(after: Self.second)
        #expect(run.wake(after: Self.second).closes.isEmpty)
        #expect(run.send("2", ref: 2).isEmpty)
        let actions = run.accept(0, seq: 1)
        #expect(actions.acks.map(\.ref) == [1])
        #expect(actions.last == .close(.draining))
    }

    @Test("a log that does not answer keeps a leaving socket open for two seconds")
    func drainsInTime() {
        var run = V1Run()
        _ = run.send("1", ref: 1)
        _ = run.drain(after: Self.second)
        #expect(run.wake(after: Self.second).wakes == [V1Session.graceTime])
        #expect(run.wake(after: V1Session.graceTime).closes == [.draining])
    }

    @Test("no action follows the close, even if another timer was due at the same time")
    func closesOnce() {
        var run = V1Run()
        _ = run.send("1", ref: 1)
        _ = run.drain(after: 0)
        _ = run.wake()
        _ = run.drain(after: V1Session.graceTime + 1)
        #expect(run.wake(after: V1Session.graceTime + 1) == [.close(.draining)])
    }

    // MARK: Memory

    @Test("an idle session is small")
    func size() {
        #expect(MemoryLayout<V1Session>.size <= 256, "\(MemoryLayout<V1Session>.size)")
    }
}
