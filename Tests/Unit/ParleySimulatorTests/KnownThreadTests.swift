import ParleyClientCore
import ParleySimulator
import Testing

@Suite struct KnownThreadTests {
    private static func page(_ epoch: String, _ seqs: ClosedRange<Int>) throws -> ServerFrame.Page {
        let events = seqs.map { seq in
            """
            {"type":"message","thread_id":"t","epoch":"\(epoch)","seq":\(seq),"date_ms":1,"id":"\(epoch)\(seq)",\
            "sender_id":"a","sender_name":"a","text":"x"}
            """
        }
        let json = """
            {"type":"page","ref":1,"thread_id":"t","epoch":"\(epoch)","events":[\(events.joined(separator: ","))],\
            "has_more_before":false,"has_more_after":false,"head_seq":\(seqs.upperBound)}
            """
        guard case .page(let page) = ServerFrame(Array(json.utf8)) else { throw NoPage() }
        return page
    }

    private struct NoPage: Error {}

    @Test("a page that was asked for before everything was discarded does not count as loaded")
    func discarded() throws {
        var known = KnownThread(epoch: "e1", seq: 0)
        known.miss(1, through: nil)
        let asked = known.discards
        known.discard()
        known.miss(1, through: nil)
        let isLate = try !known.fetched(Self.page("e1", 1...2), askedAt: asked)
        #expect(isLate)
        #expect(known.missing.map(\.first) == [1])
        #expect(known.messages.isEmpty)
        let isNew = try known.fetched(Self.page("e2", 1...3), askedAt: known.discards)
        #expect(isNew)
        #expect(known.missing.isEmpty)
        #expect(known.messages.values.map(\.id).sorted() == ["e21", "e22", "e23"])
    }
}
