import ParleyAccounts
import ParleyMessaging
import Testing

@Suite("Addresses of webhooks")
struct WebhookNetworksTests {
    @Test(
        "that are public are allowed over https",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1",
            "2001:200::1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808", "64:ff9b::8.8.8.8",
        ])
    func allowed(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(WebhookNetworks().refusal(of: address, over: .https) == nil)
        #expect(WebhookNetworks().refusal(of: address, over: .http) == .plainText)
    }

    @Test(
        "of inside and of special purposes are refused over both schemes",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.8",
            "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
            "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:10.1.2.3", "0:0:0:0:0:ffff:c0a8:1",
            "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::10.0.0.1", "64:ff9b:1::808:808", "100::1",
            "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "4000::1", "fc00::1", "fd00:ec2::254", "fdff::1",
            "fe80::1", "febf::1", "fec0::1", "ff02::1",
        ])
    func refused(text: String) throws {
        let address = try #require(IPAddress(text))
        for scheme in [WebhookURL.Scheme.http, .https] {
            guard case .reserved? = WebhookNetworks().refusal(of: address, over: scheme) else {
                Issue.record("\(text) is not refused")
                continue
            }
        }
    }

    @Test("of an allowed network are allowed over http too")
    func exceptions() throws {
        let networks = WebhookNetworks(allowed: ["10.1.0.0/16", "127.0.0.1", "fd00::/8"].compactMap { IPNetwork($0) })
        for text in ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3", "fd12::1"] {
            let address = try #require(IPAddress(text))
            #expect(networks.refusal(of: address, over: .http) == nil, "\(text)")
            #expect(networks.refusal(of: address, over: .https) == nil, "\(text)")
        }
        for text in ["10.2.0.1", "127.0.0.2", "::1", "64:ff9b::10.1.2.3"] {
            let address = try #require(IPAddress(text))
            #expect(networks.refusal(of: address, over: .https) != nil, "\(text)")
        }
    }

    @Test("of a name are those that are allowed")
    func names() throws {
        let (inside, outside) = (try #require(IPAddress("10.0.0.1")), try #require(IPAddress("8.8.8.8")))
        let networks = WebhookNetworks()
        #expect(try networks.usable([inside, outside], over: .https) == [outside])
        #expect(throws: WebhookRefusal.reserved("private")) { try networks.usable([inside], over: .https) }
        #expect(throws: WebhookRefusal.plainText) { try networks.usable([outside], over: .http) }
        #expect(throws: WebhookRefusal.unresolved) { try networks.usable([], over: .https) }
    }
}

@Suite("Texts of networks")
struct IPNetworkTests {
    @Test(
        "have no bits after their length",
        arguments: ["", "a", "10.0.0.1/8", "::1/127", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/+8", "/8", "::/129"])
    func refused(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}

@Suite("URLs of webhooks")
struct WebhookURLTests {
    @Test("have the parts that a request needs")
    func parts() throws {
        let url = try WebhookURL("HTTPS://Shop.Example:8443/hooks?a=b")
        #expect(url.scheme == .https && url.host == "shop.example" && url.port == 8_443 && url.target == "/hooks?a=b")
        #expect(try WebhookURL("https://shop.example").target == "/")
        #expect(try WebhookURL("http://shop.example?a").target == "/?a")
        #expect(try WebhookURL("http://[2606:4700::1]/").address == IPAddress("2606:4700::1"))
        #expect(try WebhookURL("http://shop.example/").port == 80)
    }

    @Test(
        "are no other texts",
        arguments: [
            "", "shop.example", "ftp://shop.example/", "https:/shop.example", "https:///path",
            "https://u@shop.example/",
            "https://u:p@shop.example/", "https://shop.example/#a", "https://shop.example:0/",
            "https://shop.example:65536/",
            "https://shop.example:/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/",
            "https://017700000001/", "https://a..b/", "https://[::1/", "https://[127.0.0.1]/", "https://[::1]a/",
            "https://[fe80::1%25eth0]/",
            "https://shop.example\\@inside/", "https://shop example/", "https://bücher.example/", "https://::1/",
            "https://shop.example/" + String(repeating: "a", count: 2_048),
        ])
    func refused(text: String) {
        #expect(throws: WebhookRefusal.self) { try WebhookURL(text) }
    }

    @Test("with an address inside are refused when they are set")
    func checked() throws {
        let networks = WebhookNetworks()
        for text in [
            "https://127.0.0.1/", "https://[::ffff:169.254.169.254]/", "http://8.8.8.8/", "http://shop.example/",
        ] {
            let url = try WebhookURL(text)
            #expect(throws: WebhookRefusal.self, "\(text)") { try networks.check(url) }
        }
        try networks.check(try WebhookURL("https://localhost/"))
        let inside = WebhookNetworks(allowed: [try #require(IPNetwork("127.0.0.0/8"))])
        try inside.check(try WebhookURL("http://localhost:8000/"))
    }
}
