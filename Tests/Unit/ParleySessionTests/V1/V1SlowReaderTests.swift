import ParleyModel
import ParleySession
import ParleyTestSupport
import ParleyWire
import Testing

@Suite struct V1SlowReaderTests {
    private static let room = V1Run.room
    private static let other = ThreadID(trusted: "other")

    @Test("events that do not fit are skipped and reported, and events flow again when half has been read")
    func behind() {
        var run = V1Run(outboundBytes: 1000)
        #expect(run.deliver(1...7).isWritten)
        run.client.waitingBytes = 700
        let first = run.deliver(8...8)
        #expect(!first.isWritten)
        #expect(first.actions == [.awaitDrain(below: 500)])
        #expect(run.deliver(9...12).actions.isEmpty)
        #expect(run.deliver(3...3, in: Self.other, bytes: 1).isWritten == false)
        run.client.waitingBytes = 500
        #expect(run.drained() == [.send(.behind([Self.room: 8...12, Self.other: 3...3]))])
        #expect(run.deliver(13...13).isWritten)
    }

    @Test("the channel is asked only when the own count reaches the limit")
    func confirms() {
        var run = V1Run(outboundBytes: 1000)
        // The client reads everything at once.
        for seq in 1...100 { #expect(run.deliver(Int64(seq)...Int64(seq)).isWritten) }
    }

    @Test("an event of any size fits while nothing waits")
    func large() {
        var run = V1Run(outboundBytes: 1000)
        #expect(run.deliver(1...1, bytes: 50_000).isWritten)
        run.client.waitingBytes = 50_000
        #expect(!run.deliver(2...2).isWritten)
    }

    @Test("ephemeral events are skipped without a report")
    func ephemeralEvents() {
        var run = V1Run(outboundBytes: 1000)
        run.client.waitingBytes = 800
        run.session.wrote(800)
        let typing = SharedFrame(EphemeralEvent.typing(TestClient.bob, isOn: true), in: Self.room, for: [])
        let left = run.deliver([typing])
        #expect(!left.isWritten)
        #expect(left.actions.isEmpty)
        run.client.waitingBytes = 0
        #expect(run.deliver(1...1).isWritten)
    }

    @Test("replies flow while events do not, up to the limit")
    func replies() {
        var run = V1Run(outboundBytes: 1000)
        run.session.wrote(800)
        run.client.waitingBytes = 800
        _ = run.deliver(1...1)
        let sent = run.send("1", ref: 1)
        #expect(sent.appends.count == 1)
        #expect(run.accept(0, seq: 2).acks.count == 1)
        #expect(run.receive(.ping(1)).frames.count == 1)
        run.session.wrote(200)
        run.client.waitingBytes = 1000
        #expect(run.receive(.ping(2)).isEmpty)
        run.client.waitingBytes = 500
        let actions = run.drained()
        #expect(actions.frames.count == 2)
        #expect(actions.behind == [Self.room: 1...1])
    }

    @Test("an early call of drained requests another one")
    func early() {
        var run = V1Run(outboundBytes: 1000)
        run.session.wrote(800)
        run.client.waitingBytes = 800
        _ = run.deliver(1...1)
        run.client.waitingBytes = 501
        #expect(run.drained() == [.awaitDrain(below: 500)])
        run.client.waitingBytes = 500
        #expect(run.drained().behind != nil)
        #expect(run.drained().isEmpty)
    }

    @Test("the last presence of watched users is sent when it fits again")
    func presence() {
        var run = V1Run(outboundBytes: 1000)
        run.session.wrote(800)
        run.client.waitingBytes = 800
        _ = run.deliver(1...1)
        let bob = TestClient.bob.id
        #expect(run.presence(V1Presence(user: bob, isOnline: true)).isEmpty)
        #expect(run.presence(V1Presence(user: bob, isOnline: false, lastSeen: 4)).isEmpty)
        run.client.waitingBytes = 0
        #expect(run.drained().frames.last == .presence(V1Presence(user: bob, isOnline: false, lastSeen: 4)))
    }

    @Test("the last profile of a user is sent when it fits again, for a limited number of users")
    func profiles() {
        var run = V1Run(outboundBytes: 1000)
        let names = ["Bob", "Bob B."].map { Profile(displayName: $0) }
        #expect(run.profileChanged(of: TestClient.bob, to: names[0]).show(TestClient.bob, names[0]))
        run.session.wrote(800)
        run.client.waitingBytes = 800
        _ = run.deliver(1...1)
        for name in names { #expect(run.profileChanged(of: TestClient.bob, to: name).isEmpty) }
        run.client.waitingBytes = 0
        #expect(run.drained().show(TestClient.bob, names[1]))

        run.client.waitingBytes = 800
        run.session.wrote(800)
        _ = run.deliver(2...2)
        for number in 0...V1Session.lateProfileLimit {
            let user = User(id: UserID(trusted: "u\(number)"), name: "u")
            #expect(run.profileChanged(of: user, to: Profile()).isEmpty)
        }
        run.client.waitingBytes = 0
        #expect(run.drained().written.count == V1Session.lateProfileLimit)
    }

    @Test("a profile is not sent before hello, nor after the end")
    func profilesOutsideOfLife() {
        var run = V1Run(isLive: false)
        #expect(run.profileChanged(of: TestClient.bob, to: Profile()).isEmpty)
        _ = run.open()
        #expect(run.profileChanged(of: TestClient.bob, to: Profile()).written.count == 1)
        run.session.closed()
        #expect(run.profileChanged(of: TestClient.bob, to: Profile()).isEmpty)
    }

    @Test("ranges of 500 threads are kept; one more closes the connection, to be resumed")
    func manyThreads() {
        var run = V1Run(outboundBytes: 1000)
        run.session.wrote(800)
        run.client.waitingBytes = 800
        for index in 0..<500 {
            #expect(run.deliver(1...1, in: ThreadID(trusted: "t\(index)")).actions.closes.isEmpty)
        }
        #expect(run.deliver(2...2, in: ThreadID(trusted: "t7")).actions.closes.isEmpty)
        #expect(run.deliver(1...1, in: ThreadID(trusted: "t500")).actions == [.close(.lostTrack)])
    }

    @Test("in a thousand random runs each event arrives once and in order, or in a reported range")
    func random() {
        for seed in UInt64(0)..<1000 {
            var random = SeededGenerator(seed)
            var run = V1Run(outboundBytes: 1000)
            var (next, seen): (Int64, Int64) = (1, 0)
            func take(_ actions: [V1Session.Action]) -> Bool {
                guard let range = actions.behind?[Self.room] else { return true }
                guard range.lowerBound == seen + 1 else { return false }
                seen = range.upperBound
                return true
            }
            var isRight = true
            for _ in 0..<60 {
                if Int.random(in: 0..<4, using: &random) > 0 {
                    let count = Int64.random(in: 1...4, using: &random)
                    let bytes = Int.random(in: 1...300, using: &random)
                    let delivery = run.deliver(next...next + count - 1, bytes: bytes)
                    isRight = isRight && take(delivery.actions)
                    if delivery.isWritten {
                        isRight = isRight && seen == next - 1
                        seen = next + count - 1
                        run.client.waitingBytes += bytes * Int(count)
                    }
                    next += count
                } else {
                    run.client.waitingBytes -= Int.random(in: 0...run.client.waitingBytes, using: &random)
                    if run.client.waitingBytes <= 500 { isRight = take(run.drained()) && isRight }
                }
                isRight = isRight && run.client.waitingBytes <= 750 + 1200
            }
            run.client.waitingBytes = 0
            isRight = take(run.drained()) && isRight
            #expect(isRight && seen == next - 1, "seed \(seed)")
        }
    }
}

extension [V1Session.Action] {
    /// The frames that are written.
    fileprivate var written: [SharedFrame] {
        flatMap { action -> [SharedFrame] in if case .write(let frames) = action { frames.map(\.frame) } else { [] } }
    }

    /// Whether exactly these profiles of a user are written.
    fileprivate func show(_ user: User, _ profiles: Profile...) -> Bool {
        let encoding = Encoding(dialect: .v1)
        return written.map { $0.bytes(for: encoding) } == profiles.map { SharedFrame(user, $0).bytes(for: encoding) }
    }
}
