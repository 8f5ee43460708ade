import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyTestContracts
import Testing

/// Numbers in Redis can be anyone's: of another program, of a stranger who has found the port, of a bug.
@Suite("Numbers that no log contains")
struct ForeignNumberTests {
    private static let event = Samples.event("hi", in: Samples.thread("one"), seq: 7)
    /// What overflows in arithmetic, and what is just beyond the bounds.
    private static let wrong: [Int64] = [.min, .min + 1, -1, (1 << 53) + 1, .max - 1, .max]

    private func codec(_ serializer: ChannelsSettings.Serializer, encrypts: Bool) -> EventCodec {
        var settings = ChannelsSettings()
        settings.serializer = serializer
        if encrypts { settings.symmetricEncryptionKeys = ["secret"] }
        return EventCodec(settings)
    }

    /// The event with a wrong number in each of its places.
    private static func events(_ number: Int64) -> [LogEvent] {
        var (seq, date, count) = (event, event, event)
        seq.position.seq = number
        date.milliseconds = number
        count.messageCount = number
        return [seq, date, count]
    }

    @Test("an event with one is refused where it is read", arguments: wrong, ChannelsSettings.Serializer.allCases)
    func events(_ number: Int64, _ serializer: ChannelsSettings.Serializer) throws {
        let codec = codec(serializer, encrypts: false)
        for event in Self.events(number) {
            #expect(throws: ChannelsCodecError.outOfRange) {
                try codec.read(EventPayload.bytes(of: event, serializer))
            }
        }
        #expect(try codec.read(EventPayload.bytes(of: Self.event, serializer)) == .event(Self.event))
    }

    @Test("a position beside a token is refused too", arguments: wrong)
    func placed(_ number: Int64) throws {
        let codec = codec(.json, encrypts: true)
        let token = try codec.bytes(of: Self.event, seconds: 1_700_000_000)
        for words in ["abcd1234 \(number) 1 1", "abcd1234 1 \(number) 1", "abcd1234 1 1 \(number)"] {
            #expect(throws: ChannelsCodecError.outOfRange) { try codec.read(Array("\(words) ".utf8) + token) }
        }
        for event in Self.events(number) {
            #expect(throws: ChannelsCodecError.outOfRange) { try codec.entry(of: event, seconds: 1_700_000_000) }
        }
    }

    @Test("a head with one is none", arguments: wrong)
    func heads(_ number: Int64) {
        let epoch = Epoch("abcd1234")
        let heads = [
            PackedHead(seq: number, messageCount: 1, milliseconds: 1, doubt: 1, epoch: epoch),
            PackedHead(seq: 1, messageCount: number, milliseconds: 1, doubt: 1, epoch: epoch),
            PackedHead(seq: 1, messageCount: 1, milliseconds: number, doubt: 1, epoch: epoch),
            PackedHead(seq: 1, messageCount: 1, milliseconds: 1, doubt: number, epoch: epoch),
        ]
        for head in heads where number != (1 << 53) + 1 || head.seq == number || head.messageCount == number {
            #expect(PackedHead(head.bytes) == nil)
        }
    }

    @Test("a signal with one is none", arguments: wrong)
    func signals(_ number: Int64) {
        func altered(_ value: ChannelsValue, _ key: String) -> ChannelsValue {
            guard case .map(let entries) = value else { return value }
            return .map(entries.map { $0.key == .text(key) ? .init($0.key, .int(number)) : $0 })
        }
        let user = Samples.user("ann")
        let read = SignalPayload.value(of: EphemeralEvent.read(user.id, seq: 1, date: 1))
        #expect(SignalPayload.ephemeral(read) != nil)
        #expect(SignalPayload.ephemeral(altered(read, "seq")) == nil)
        let stored = SignalPayload.value(of: EphemeralEvent.stored(seq: 1, epoch: Epoch("e")))
        #expect(SignalPayload.ephemeral(stored) == .stored(seq: 1, epoch: Epoch("e")))
        #expect(SignalPayload.ephemeral(altered(stored, "seq")) == nil)
        let mark = SignalPayload.value(
            of: ReadMark(thread: Samples.thread("one"), user: user.id, seq: 1, milliseconds: 1))
        #expect(SignalPayload.readMark(mark) != nil)
        #expect(SignalPayload.readMark(altered(mark, "seq")) == nil)
        let thread = ThreadInfo(id: Samples.thread("one"), kind: .room, title: "one")
        let added = SignalPayload.value(
            of: ControlEvent.added(Membership(thread: thread, role: .member, peer: nil), after: 1))
        #expect(SignalPayload.control(added) != nil)
        #expect(SignalPayload.control(altered(added, "after")) == nil)
        let removed = SignalPayload.value(
            of: ControlEvent.removed(thread.id, left: Position(epoch: Epoch("e"), seq: 1)))
        #expect(SignalPayload.control(altered(removed, "seq")) == .removed(thread.id, left: nil))
    }

    @Test("a token of any time is compared with the clock")
    func tokens() throws {
        var settings = ChannelsSettings()
        settings.symmetricEncryptionKeys = ["secret"]
        let codec = EventCodec(settings)
        for seconds in [Int64.min, -1, .max - 1, .max] {
            let token = try codec.bytes(of: Self.event, seconds: seconds)
            #expect(!Fernet.isTimely(token, now: 1_700_000_000, expiry: 60))
        }
    }
}
