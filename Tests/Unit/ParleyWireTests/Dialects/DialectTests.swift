import ParleyWire
import Testing

@Suite struct DialectTests {
    @Test(
        "the first known subprotocol is chosen, none means classic",
        arguments: [
            ([], Dialect.classic, nil), ([""], .classic, nil), ([" , "], .classic, nil),
            (["parley.direct"], .direct, "parley.direct"), (["chat, parley.direct"], .direct, "parley.direct"),
            (["chat", "\tparley.direct ,x"], .direct, "parley.direct"), (["parley.v1"], .v1, "parley.v1"),
            (["parley.v1, parley.direct"], .v1, "parley.v1"),
            (["parley.v2,parley.direct,parley.v1"], .direct, "parley.direct"),
        ] as [([String], Dialect, String?)])
    func negotiates(offered: [String], dialect: Dialect, subprotocol: String?) throws {
        let chosen = try Dialect.negotiate(offered: offered)
        #expect(chosen == dialect)
        #expect(chosen.subprotocol == subprotocol)
    }

    @Test(
        "an offer of unknown subprotocols only is rejected",
        arguments: [["chat"], ["Parley.Direct"], ["parley.direct2", "x"]])
    func refuses(offered: [String]) {
        #expect(throws: NoKnownSubprotocol()) { _ = try Dialect.negotiate(offered: offered) }
        #expect(NoKnownSubprotocol().explanation.contains("parley.direct, parley.v1"))
    }

    @Test("encodings have distinct indexes below the count")
    func numbersEncodings() {
        #expect(Set(Encoding.all.map(\.index)).count == Encoding.all.count)
        #expect(Encoding.all.allSatisfy { (0..<Encoding.count).contains($0.index) })
        #expect(Encoding.all.count == 7)
        #expect(Encoding(dialect: .line, compressed: true) == Encoding(dialect: .line))
    }

    @Test("a set holds exactly what was inserted")
    func keepsSets() {
        for mask in 0..<1 << Encoding.all.count {
            let chosen = Encoding.all.enumerated().filter { mask >> $0.offset & 1 == 1 }.map(\.element)
            var set = EncodingSet()
            for encoding in chosen { set.insert(encoding) }
            #expect(Encoding.all.filter(set.contains) == chosen)
            #expect((set == []) == chosen.isEmpty)
            var union = set
            union.formUnion([])
            #expect(union == set)
            union.formUnion(.all)
            #expect(union == .all)
            for encoding in chosen { set.remove(encoding) }
            #expect(set == [])
        }
    }
}
