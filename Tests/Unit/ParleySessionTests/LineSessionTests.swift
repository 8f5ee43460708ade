import ParleySession
import ParleyWire
import Testing

@Suite struct LineSessionTests {
    private func named() -> LineSession {
        var session = LineSession()
        _ = session.received(.introduce(name: "bob"))
        _ = session.claimed(true)
        return session
    }

    @Test("a guest gets a name and sends")
    func story() {
        var session = LineSession()
        #expect(session.name == nil)
        #expect(session.received(.introduce(name: "bob")) == .claim(name: "bob"))
        #expect(!session.isReading)
        #expect(session.name == nil)
        #expect(session.claimed(true) == .enter(name: "bob"))
        #expect(session.isReading)
        #expect(session.name == "bob")
        #expect(session.received(.say(text: "hi: there")) == .say(text: "hi: there"))
    }

    @Test("a guest whose name is taken may try another")
    func taken() {
        var session = LineSession()
        _ = session.received(.introduce(name: "bob"))
        #expect(session.claimed(false) == .reply(.nameTaken))
        #expect(session.isReading)
        #expect(session.received(.introduce(name: "rob")) == .claim(name: "rob"))
    }

    @Test("nobody sends without a name")
    func anonymous() {
        var session = LineSession()
        #expect(session.received(.say(text: "hi")) == .reply(.introduceYourselfFirst))
    }

    @Test("a guest cannot introduce itself twice")
    func already() {
        var session = named()
        #expect(session.received(.introduce(name: "rob")) == .reply(.already("bob")))
        #expect(session.name == "bob")
    }

    @Test("an invalid text is answered with its error", arguments: ["", "a\0"])
    func badText(text: String) {
        var session = named()
        #expect(session.received(.say(text: text)) == .reply(.badText))
    }

    @Test("commands of other dialects are unknown")
    func foreign() {
        var session = named()
        #expect(session.received(.sendDirect(toUser: "a", text: "b")) == .reply(.unknownCommand))
    }

    @Test("an unexpected result is ignored", arguments: [true, false])
    func strayReply(isTheirs: Bool) {
        var session = LineSession()
        #expect(session.claimed(isTheirs) == nil)
        #expect(session.name == nil)
        var named = named()
        #expect(named.claimed(isTheirs) == nil)
        #expect(named.name == "bob")
    }
}
