import ParleyModel
import ParleyRedis
import ParleyTestContracts
import Testing

@Suite("The digest of a send reveals nothing about its text")
struct SendDigestTests {
    private let digest = SendDigest(secret: Array("one secret".utf8))
    private let thread = Samples.thread("t")
    private let message = Samples.message("hi", clientID: "c")

    private func other(_ text: String = "hi", parts: [MessagePart] = [], replyTo: Int64? = nil) -> Message {
        Message(id: message.id, sender: message.sender, text: text, clientID: "c", parts: parts, replyTo: replyTo)
    }

    @Test("the digest depends on thread, text, parts and the message replied to")
    func content() {
        let first = digest.of(message, in: thread)
        #expect(first.utf8.count == 32 && first.hasPrefix("~"))
        #expect(first == digest.of(other(), in: thread))
        let others = [
            digest.of(message, in: Samples.thread("u")), digest.of(other("ho"), in: thread),
            digest.of(other(parts: [.text("hi")]), in: thread), digest.of(other(replyTo: 1), in: thread),
        ]
        #expect(Set(others + [first]).count == 5)
        for other in others { #expect(digest.compare(other, with: message, in: thread) == .different) }
        #expect(digest.compare(first, with: message, in: thread) == .same)
    }

    @Test("a digest needs the secret, and one of another secret is unknown")
    func secret() {
        let other = SendDigest(secret: Array("another secret".utf8))
        #expect(other.of(message, in: thread) != digest.of(message, in: thread))
        #expect(digest.compare(other.of(message, in: thread), with: message, in: thread) == .unknown)
        #expect(digest.of(message, in: thread).dropFirst(4) != other.of(message, in: thread).dropFirst(4))
    }
}
