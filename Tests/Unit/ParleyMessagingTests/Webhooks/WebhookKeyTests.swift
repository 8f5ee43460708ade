import Crypto
import Foundation
import ParleyMessaging
import Testing

/// The expected values were computed with Python's `hmac` and with `cryptography`. The tests of parley-client verify the same.
@Suite("Signatures of webhooks")
struct WebhookKeyTests {
    private static let body = Array(#"{"id":"chat_team:0a:7","event":{"type":"message","text":"Grüße"}}"#.utf8)
    private static let shared = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let asymmetric = "whsk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let first = "v1,ppRqe3hPsQn5AKdrJLSCyWNd1Ip8UZiyw5+ZnS+vcSo="
    private static let second =
        "v1a,bO0vyhfPYTWEWMpEHH94atu/Q52U5r0qvlYV5QrkYnnD9s/Rv20iTUJoIgJs6ksdIKqycB/4Qiuu3dqMNo6SDQ=="

    @Test("are those of an independent computation, one for each secret")
    func vectors() throws {
        let keys = try [Self.shared, Self.asymmetric].map { try #require(WebhookKey($0)) }
        #expect(keys.map(\.text) == [Self.shared, Self.asymmetric])
        #expect(keys[1].receiverText == "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=")
        let headers = try WebhookHeaders(id: "chat_team:0a:7", seconds: 1_795_255_200, body: Self.body, keys: keys)
        #expect(headers.id == "chat_team%3A0a%3A7")
        #expect(headers.timestamp == "1795255200")
        #expect(headers.signature == "\(Self.first) \(Self.second)")
    }

    @Test("are those of the published example of Standard Webhooks")
    func published() throws {
        let key = try #require(WebhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = try WebhookHeaders(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8),
            keys: [key])
        #expect(headers.signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("of a new secret are verified with what the receiver has")
    func made() throws {
        let key = WebhookKey(.asymmetric)
        #expect(WebhookKey(key.text)?.text == key.text)
        let headers = try WebhookHeaders(id: "a", seconds: 1, body: [1, 2], keys: [key])
        let raw = try #require(Data(base64Encoded: String(key.receiverText.dropFirst(5))))
        let signature = try #require(Data(base64Encoded: String(headers.signature.dropFirst(4))))
        let isValid = try Curve25519.Signing.PublicKey(rawRepresentation: raw).isValidSignature(
            signature, for: Data("a.1.".utf8) + Data([1, 2]))
        #expect(isValid)
        #expect(WebhookKey(WebhookKey(.shared).text)?.kind == .shared)
    }

    @Test("have no point in the id, which separates the signed parts")
    func points() throws {
        let headers = try WebhookHeaders(id: "a.1.b", seconds: 1, body: [], keys: [WebhookKey(.shared)])
        #expect(headers.id == "a%2E1%2Eb")
    }

    @Test("are made with two secrets at most")
    func bound() throws {
        let keys = (0..<3).map { _ in WebhookKey(.shared) }
        let headers = try WebhookHeaders(id: "a", seconds: 1, body: [], keys: keys)
        #expect(headers.signature.split(separator: " ").count == 2)
    }

    @Test(
        "have no other secrets",
        arguments: [
            "", "whsec_", "whsec_AAAA", "whsk_AAAA", "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", "whsec_ä",
        ])
    func refused(text: String) {
        #expect(WebhookKey(text) == nil)
    }
}
