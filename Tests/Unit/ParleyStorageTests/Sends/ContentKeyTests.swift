import Crypto
import ParleyModel
import ParleyStorage
import Testing

@Suite struct ContentKeyTests {
    private let key = ContentKey(secret: Array("0123456789abcdef0123456789abcdef".utf8))
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let thread = ThreadID(trusted: "t")

    private func message(
        _ text: String, parts: [MessagePart] = [], replyTo: Int64? = nil
    ) -> Message {
        Message(
            id: MessageID(trusted: "m"), sender: ann, text: text, clientID: "c", parts: parts, replyTo: replyTo)
    }

    @Test("a database that has only SHA-256 gets the same digest from the blocks")
    func blocks() {
        let content = SendContent(message("text", parts: [.text("more")], replyTo: 3), in: thread)
        let (inner, outer) = key.blocks
        #expect(inner.count == 64 && outer.count == 64)
        let first = Array(SHA256.hash(data: inner + content.bytes))
        #expect(key.digest(of: content) == Array(SHA256.hash(data: outer + first)))
    }

    @Test("every part of a send counts, and so does the secret")
    func content() {
        let sends = [
            SendContent(message("text"), in: thread), SendContent(message("Text"), in: thread),
            SendContent(message("text"), in: ThreadID(trusted: "u")),
            SendContent(message("text", parts: [.text("more")]), in: thread),
            SendContent(message("text", replyTo: 1), in: thread), SendContent(message("te\u{301}xt"), in: thread),
            SendContent(message("t\u{e9}xt"), in: thread),
        ]
        #expect(Set(sends.map(key.digest)).count == sends.count)
        let other = ContentKey(secret: Array("another secret".utf8))
        #expect(other.digest(of: sends[0]) != key.digest(of: sends[0]))
    }

    private func use(_ text: String, isGone: Bool = false, digest: [UInt8]? = nil, threadExists: Bool = true)
        -> StoredUse
    {
        StoredUse(
            receipt: Receipt(
                thread: thread, position: Position(epoch: Epoch("e"), seq: 7), milliseconds: 1, messageID: nil,
                isRepeat: true),
            text: text, parts: nil, replyTo: nil, isGone: isGone, digest: digest, threadExists: threadExists)
    }

    @Test("equal content is a repeat, other content a later use, and without stored uses it is new")
    func verdicts() {
        let said = message("text")
        #expect(EventVerdict(said, in: thread, uses: [], key) == .new)
        #expect(EventVerdict(said, in: thread, uses: [use("text")], key) == .repeatedSend(seq: 7))
        #expect(EventVerdict(said, in: thread, uses: [use("other"), use("text")], key) == .repeatedSend(seq: 7))
        #expect(EventVerdict(said, in: thread, uses: [use("other")], key) == .laterUse)
        #expect(EventVerdict(said, in: ThreadID(trusted: "u"), uses: [use("text")], key) == .laterUse)
    }

    @Test("removed content is recognised by its digest only")
    func gone() {
        let said = message("text")
        let digest = key.digest(of: SendContent(said, in: thread))
        #expect(use("", isGone: true, digest: digest).isSame(as: said, in: thread, key))
        #expect(!use("", isGone: true, digest: digest).isSame(as: message("other"), in: thread, key))
        #expect(!use("", isGone: true, digest: digest).isSame(as: said, in: thread, nil))
        #expect(!use("", isGone: true).isSame(as: said, in: thread, key))
        #expect(!use("text", threadExists: false).isSame(as: said, in: thread, key))
    }

    @Test("a query gets the first use while its thread exists")
    func replies() throws {
        let name = try #require(message("text").sendKey)
        let query = SendQuery(thread: thread, message: message("text"))
        #expect(query.reply(from: [:], key) == nil)
        #expect(query.reply(from: [name: [use("text"), use("other")]], key)?.isSame == true)
        #expect(query.reply(from: [name: [use("other"), use("text")]], key)?.isSame == false)
        #expect(query.reply(from: [name: [use("text", threadExists: false)]], key) == nil)
    }
}
