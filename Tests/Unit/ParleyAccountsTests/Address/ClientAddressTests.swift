import ParleyAccounts
import Testing

@Suite("The client's address")
struct ClientAddressTests {
    private typealias Hops = (peer: String?, forwarded: [String], trusted: String, client: String)

    private static let hops: [Hops] = [
        ("203.0.113.5", [], "", "203.0.113.5"),
        ("203.0.113.5", ["198.51.100.1"], "", "203.0.113.5"),
        ("203.0.113.5", ["198.51.100.1"], "10.0.0.0/8", "203.0.113.5"),
        ("10.0.0.1", ["198.51.100.1"], "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1, 10.9.9.9"], "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6", "198.51.100.1", "10.9.9.9"], "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.0/8", "10.0.0.3"),
        ("10.0.0.1", [], "10.0.0.0/8", "10.0.0.1"),
        ("10.0.0.1", ["garbage"], "10.0.0.0/8", "10.0.0.1"),
        ("10.0.0.1", ["6.6.6.6, , 10.0.0.2"], "10.0.0.0/8", "10.0.0.2"),
        ("10.0.0.1", ["198.51.100.1:4711"], "10.0.0.1", "198.51.100.1"),
        ("10.0.0.1", ["\t[2001:DB8::1]:4711 "], "10.0.0.1", "2001:db8::1"),
        ("10.0.0.1", ["2001:db8:0:0::1"], "10.0.0.1", "2001:db8::1"),
        ("::1", ["198.51.100.1"], "127.0.0.1, ::1", "198.51.100.1"),
        ("::ffff:127.0.0.1", ["198.51.100.1"], "127.0.0.1", "198.51.100.1"),
        ("fe80::1%eth0", ["198.51.100.1"], "fe80::/10", "198.51.100.1"),
        ("2001:db8::1", [], "", "2001:db8::1"),
        (nil, ["198.51.100.1"], "0.0.0.0/0", "unknown"),
    ]

    @Test("is the last hop that is not a trusted proxy, if the peer is one", arguments: hops)
    func table(peer: String?, forwarded: [String], trusted: String, expected: String) throws {
        let address = ClientAddress(
            peer: peer, forwardedFor: forwarded, forwardedProto: [], trusted: try TrustedProxies(parsing: trusted))
        #expect(address.text == expected)
    }

    @Test("is searched among the last 32 hops")
    func manyHops() throws {
        let trusted = try TrustedProxies(parsing: "10.0.0.0/8")
        for (count, expected) in [(31, "198.51.100.1"), (32, "10.0.0.2")] {
            let list = "198.51.100.1" + String(repeating: ",10.0.0.2", count: count)
            let address = ClientAddress(peer: "10.0.0.1", forwardedFor: [list], forwardedProto: [], trusted: trusted)
            #expect(address.text == expected)
        }
    }

    @Test(
        "TLS is detected by the connection or a trusted proxy",
        arguments: [(String, Bool, [String], Bool)]([
            ("10.0.0.1", false, ["https"], true), ("10.0.0.1", false, ["HTTPS "], true),
            ("10.0.0.1", false, ["http"], false),
            ("10.0.0.1", false, [], false), ("10.0.0.1", false, ["https, http"], false), ("10.0.0.1", true, [], true),
            ("203.0.113.5", false, ["https"], false), ("203.0.113.5", true, ["http"], true),
        ]))
    func tls(peer: String, isEncrypted: Bool, proto: [String], expected: Bool) throws {
        let address = ClientAddress(
            peer: peer, isEncrypted: isEncrypted, forwardedFor: [], forwardedProto: proto,
            trusted: try TrustedProxies(parsing: "10.0.0.0/8"))
        #expect(address.isSecure == expected)
    }

    @Test(
        "a network contains its addresses and no others",
        arguments: [
            ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
            ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "::1", false), ("::/0", "2001:db8::1", true),
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1/32", "192.0.2.1", true),
            ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
            ("fe80::1/128", "fe80::1", true), ("192.0.2.128/25", "192.0.2.127", false),
        ])
    func networks(list: String, address: String, expected: Bool) throws {
        #expect(try TrustedProxies(parsing: list).contains(try #require(IPAddress(address))) == expected)
    }

    @Test(
        "an invalid list is reported with its entry",
        arguments: ["10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/", "localhost", "10.0.0/8", "1.2.3.4/8/8"])
    func violations(entry: String) {
        #expect(throws: TrustedProxies.ParseError(entry: entry)) { try TrustedProxies(parsing: "127.0.0.1, \(entry)") }
    }

    @Test(
        "invalid addresses are rejected",
        arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "g::1", "1.2.3.4\0", "::1::"])
    func noAddress(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
