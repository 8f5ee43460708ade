import ParleyChannels
import ParleyTestSupport
import Testing

@Suite("Tokens are compatible with channels_redis")
struct FernetTests {
    private let vectors: Vectors

    init() throws {
        vectors = try Vectors()
    }

    @Test("a token of the same time and IV is identical, and is decrypted")
    func tokens() throws {
        for entry in try vectors.list("fernet", "tokens") {
            let name = entry["name"] as? String ?? ""
            let secret = try #require(entry["secret"] as? String)
            let fernet = try #require(Fernet(secrets: [secret]))
            let plain = try Vectors.bytes(entry, "plaintext_hex")
            let payload = Array(try #require(entry["payload"] as? String).utf8)
            let seconds = try #require(entry["time"] as? Int)
            let iv = try Vectors.bytes(entry, "iv_hex")
            #expect(try fernet.encrypt(plain, seconds: Int64(seconds), iv: iv) == payload, "\(name)")
            #expect(try fernet.decrypt(payload) == plain, "\(name)")
        }
    }

    @Test("the first key encrypts, and all keys decrypt")
    func rotation() throws {
        let rotation = try vectors.object("fernet", "rotation")
        let keys = try #require(rotation["keys"] as? [String])
        var settings = ChannelsSettings()
        settings.symmetricEncryptionKeys = keys
        let codec = ChannelsCodec(settings)
        let tokens = try #require(rotation["tokens"] as? [Vectors.Object])
        for token in tokens {
            let payload = Array(try #require(token["payload"] as? String).utf8)
            #expect(try codec.decode(payload) == Vectors.value(token["value"]))
        }
        let event = ChannelsValue.object(["type": .text("x")])
        let ours = try codec.encode(event, seconds: 1_700_000_000)
        let (first, second) = (try #require(Fernet(secrets: [keys[0]])), try #require(Fernet(secrets: [keys[1]])))
        #expect(try first.decrypt(ours) == MessagePackWriter.encode(event))
        #expect(throws: ChannelsCodecError.undecryptable) { try second.decrypt(ours) }
        #expect(try codec.encode(event, seconds: 1_700_000_000) != ours, "the IV is fresh each time")
    }

    @Test("an invalid token is refused")
    func reject() throws {
        for entry in try vectors.list("fernet", "reject") {
            let secret = try #require(entry["secret"] as? String)
            let fernet = try #require(Fernet(secrets: [secret]))
            let payload = try Vectors.bytes(entry, "payload_hex")
            #expect(throws: ChannelsCodecError.undecryptable, "\(entry["name"] ?? "")") { try fernet.decrypt(payload) }
        }
        #expect(Fernet(secrets: []) == nil)
    }

    @Test("the age of a token is not checked")
    func age() throws {
        let ttl = try vectors.object("fernet", "ttl")
        let secret = try #require(ttl["secret"] as? String)
        let fernet = try #require(Fernet(secrets: [secret]))
        #expect(throws: Never.self) { try fernet.decrypt(Array((ttl["payload"] as? String ?? "").utf8)) }
    }
}
