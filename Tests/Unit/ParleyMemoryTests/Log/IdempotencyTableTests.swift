import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("Sends are remembered by their clientID, within bounds")
struct IdempotencyTableTests {
    private let content = UsedContent(thread: Samples.thread("t"), text: "hi")

    private func key(_ number: Int) -> IdempotencyKey {
        .send(UserID(trusted: "ann"), clientID: "\(number)")
    }

    private func receipt(_ seq: Int64) -> Receipt {
        Receipt(
            thread: Samples.thread("t"), position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 0,
            messageID: nil)
    }

    private func remember(_ number: Int, in memory: inout IdempotencyTable, isStored: Bool = true, now: Int64 = 0) {
        memory.begin(key(number), content, by: AppendID(0))
        _ = memory.accept(key(number), receipt(Int64(number)), isStored: isStored, now: now)
    }

    @Test("at the bound all sends are remembered, above it the oldest are forgotten")
    func count() {
        var memory = IdempotencyTable(limit: 10, lifetime: 1000)
        for number in 1...10 { remember(number, in: &memory) }
        #expect(memory.count == 10)
        #expect(memory[key(1)] != nil)
        remember(11, in: &memory)
        #expect(memory.count == 10)
        #expect(memory[key(1)] == nil)
        #expect(memory[key(2)] != nil)
    }

    @Test("a send is remembered until the end of its lifetime")
    func age() {
        var memory = IdempotencyTable(limit: 10, lifetime: 1000)
        remember(1, in: &memory, now: 5)
        memory.shrink(now: 1005)
        #expect(memory[key(1)] != nil)
        memory.shrink(now: 1006)
        #expect(memory[key(1)] == nil)
    }

    @Test("a send that is not stored is never forgotten")
    func unstored() {
        var memory = IdempotencyTable(limit: 10, lifetime: 1000)
        remember(1, in: &memory, isStored: false)
        for number in 2...100 { remember(number, in: &memory) }
        #expect(memory[key(1)] != nil)
        #expect(memory.count <= 11)
        memory.markStored(key(1))
        for number in 101...200 { remember(number, in: &memory) }
        #expect(memory[key(1)] == nil)
        #expect(memory.count <= 10)
    }

    @Test("a pending send is not forgotten, and returns its waiting repeats")
    func pending() {
        var memory = IdempotencyTable(limit: 1, lifetime: 0)
        memory.begin(key(1), content, by: AppendID(1))
        memory.wait(AppendID(2), for: key(1))
        for number in 2...20 { remember(number, in: &memory, now: Int64(number)) }
        #expect(memory.accept(key(1), receipt(1), isStored: true, now: 30) == [AppendID(2)])
        memory.begin(key(99), content, by: AppendID(3))
        memory.wait(AppendID(4), for: key(99))
        #expect(memory.fail(key(99)) == [AppendID(4)])
        #expect(memory[key(99)] == nil)
    }

    @Test("only the same thread and text are the same send")
    func same() {
        #expect(content == UsedContent(thread: Samples.thread("t"), text: "hi"))
        #expect(content != UsedContent(thread: Samples.thread("u"), text: "hi"))
        #expect(content != UsedContent(thread: Samples.thread("t"), text: "ho"))
        // Equal as Swift strings, but not the same text.
        #expect(
            UsedContent(thread: Samples.thread("t"), text: "\u{E9}")
                != UsedContent(thread: Samples.thread("t"), text: "e\u{301}"))
    }
}
