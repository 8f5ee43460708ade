import ParleyModel
import Testing

@Suite struct PushAddressTests {
    private static let secrets = ["0a1b2c", "reg-token", "https://push.example/secret", "the-key", "the-auth"]
    private static let addresses: [PushAddress] = [
        .apns(token: "0a1b2c", topic: "org.example.chat", environment: .sandbox), .fcm(token: "reg-token"),
        .web(endpoint: "https://push.example/secret", publicKey: "the-key", secret: "the-auth"),
    ]

    @Test("no description or reflection shows a token, an endpoint or a key", arguments: addresses)
    func descriptions(address: PushAddress) {
        let device = PushDevice(
            id: DeviceID(trusted: "d"), user: UserID(trusted: "u"), address: address, digest: TokenHash("h"),
            created: 1,
            lastUsed: 2)
        var dumped = ""
        dump(device, to: &dumped)
        for text in ["\(address)", String(reflecting: address), "\(device)", String(reflecting: device), dumped] {
            for secret in Self.secrets { #expect(!text.contains(secret)) }
            #expect(text.contains(address.kind.rawValue))
        }
    }

    @Test("the columns of a row make the same address", arguments: addresses)
    func columns(address: PushAddress) throws {
        let read = try PushAddress(
            kind: address.kind.rawValue, token: address.token, topic: address.topic,
            environment: address.environment?.rawValue, publicKey: address.publicKey, secret: address.secret)
        #expect(read == address)
    }

    @Test(
        "columns that belong to no kind are refused",
        arguments: [
            ("sms", "t", "e", "k", "s"), ("apns", nil, "sandbox", nil, nil), ("apns", "t", "test", nil, nil),
            ("web", nil, nil, "k", nil),
        ]
            as [(String, String?, String?, String?, String?)])
    func damaged(_ row: (String, String?, String?, String?, String?)) {
        #expect(throws: StoreError.self) {
            try PushAddress(
                kind: row.0, token: "x", topic: row.1, environment: row.2, publicKey: row.3, secret: row.4)
        }
    }

    @Test("one device has one identity, whatever its environment and keys; apps, kinds and tokens differ")
    func identity() {
        #expect(
            PushAddress.apns(token: "0a", topic: "a", environment: .sandbox).identity
                == PushAddress.apns(token: "0a", topic: "a", environment: .production).identity)
        let different: [PushAddress] = [
            .apns(token: "0a", topic: "a", environment: .sandbox),
            .apns(token: "0a", topic: "b", environment: .sandbox),
            .apns(token: "0b", topic: "a", environment: .sandbox), .fcm(token: "0a"), .fcm(token: "a 0a"),
            .web(endpoint: "0a", publicKey: "", secret: ""),
        ]
        #expect(Set(different.map(\.identity)).count == different.count)
    }
}
