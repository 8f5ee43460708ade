import Crypto
import ParleyAccounts
import ParleyMessaging
import ParleyTestSupport
import Testing

@Suite("Encryption of Web Push")
struct WebPushCipherTests {
    /// RFC 8291, appendix A.
    private enum Example {
        static let message = "When I grow up, I want to be a watermelon"
        static let browserPrivate = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
        static let browserPublic =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
        static let serverPrivate = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let body =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
            + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Base64URL.decode(text))
    }

    @Test("gives the body of RFC 8291's appendix A")
    func example() throws {
        let subscription = try WebPushSubscription(
            endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
            p256dh: Example.browserPublic, auth: Example.secret)
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: Self.bytes(Example.serverPrivate))
        let cipher = WebPushCipher(ownKey: key, salt: try Self.bytes(Example.salt))
        let body = try cipher.body(Array(Example.message.utf8), for: subscription, padding: 0)
        #expect(Base64URL.encode(body) == Example.body)
    }

    @Test("the receiver of these tests decrypts the examples of RFC 8291 and RFC 8188")
    func receiver() throws {
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: Self.bytes(Example.browserPrivate))
        #expect(Base64URL.encode(key.publicKey.x963Representation) == Example.browserPublic)
        let browser = WebPushReceiver(key: key, secret: try Self.bytes(Example.secret))
        #expect(try browser.decrypt(Self.bytes(Example.body)) == Array(Example.message.utf8))
        // §3.1, and §3.2 with two records of 25 bytes.
        for (body, material) in [
            ("I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg", "yqdlZ-tYemfogSmv7Ws5PQ"),
            (
                "uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA",
                "BO3ZVPxUlnLORbVGMpbT1Q"
            ),
        ] {
            let text = try WebPushReceiver.decrypt(Self.bytes(body), material: Self.bytes(material))
            #expect(String(decoding: text, as: UTF8.self) == "I am the walrus")
        }
    }

    @Test("gives the body of RFC 8188 §3.1")
    func coding() throws {
        let body = try ContentCoding.body(
            Array("I am the walrus".utf8), material: SymmetricKey(data: Self.bytes("yqdlZ-tYemfogSmv7Ws5PQ")),
            salt: Self.bytes("I1BsxtFttlv3u_Oo94xnmw"), recordSize: 4_096, keyID: [], padding: 0)
        #expect(Base64URL.encode(body) == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    @Test("is decrypted for each length, and a body has one of few sizes, at most 4,096 bytes")
    func lengths() throws {
        let browser = WebPushReceiver()
        let subscription = try browser.subscription(at: "https://push.example/1")
        var random = SeededGenerator(1)
        var sizes: Set<Int> = []
        for length in Array(stride(from: 0, through: 3_993, by: 97)) + [1, 255, 256, 257, 3_992, 3_993] {
            let message = random.bytes(length)
            let body = try WebPushCipher().body(message.map { $0 | 1 }, for: subscription)
            #expect(try browser.decrypt(body) == message.map { $0 | 1 })
            #expect(body.count <= 4_096)
            sizes.insert(body.count)
        }
        #expect(sizes.count <= 17)
        #expect(sizes.max() == 4_096)
    }

    @Test("refuses a message that has no room")
    func tooLong() throws {
        let subscription = try WebPushReceiver().subscription(at: "https://push.example/1")
        #expect(throws: WebPushCipher.Failure(explanation: "3994 bytes; at most 3993 fit into a push")) {
            try WebPushCipher().body(Array(repeating: 1, count: 3_994), for: subscription)
        }
    }

    @Test("has a new key and a new salt for each message, and only the subscriber reads it")
    func fresh() throws {
        let browser = WebPushReceiver()
        let subscription = try browser.subscription(at: "https://push.example/1")
        let bodies = try (0..<20).map { _ in try WebPushCipher().body([1], for: subscription) }
        #expect(Set(bodies.map { Array($0.prefix(16)) }).count == 20)
        #expect(Set(bodies.map { Array($0.prefix(86).suffix(65)) }).count == 20)
        for body in bodies {
            #expect(throws: (any Error).self) { try WebPushReceiver().decrypt(body) }
            var changed = body
            changed[100] ^= 1
            #expect(throws: (any Error).self) { try browser.decrypt(changed) }
        }
    }
}
