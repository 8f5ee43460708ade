import ParleyRedisClient
import ParleyTestSupport
import Testing

@Suite("Addresses of Redis")
struct RedisAddressTests {
    @Test("URLs are parsed as by redis-py")
    func vectors() throws {
        var count = 0
        for entry in try Vectors().list("hosts", "vectors") {
            // Django's tuples and dictionaries are not URLs.
            guard let url = entry["entry"] as? String else { continue }
            count += 1
            let address = try RedisAddress(url)
            switch address.place {
            case .at(.tcp(let host, let port)):
                #expect(host == entry["host"] as? String)
                #expect(port == entry["port"] as? Int ?? 6379)
            case .at(.unix(let path)):
                #expect(path == entry["path"] as? String)
            case .master:
                Issue.record("no URL of redis-py names sentinels")
            }
            #expect(address.database == entry["db"] as? Int ?? 0)
            #expect(address.user == entry["username"] as? String)
            #expect(address.password == entry["password"] as? String)
            #expect((address.tls != nil) == (entry["is"] as? String == "SSLConnection"))
            if let tls = address.tls { #expect(tls.verifies == (entry["ssl_cert_reqs"] as? String != "none")) }
        }
        #expect(count >= 7)
    }

    @Test(
        "an invalid URL is refused with the reason",
        arguments: [
            ("localhost", "not a URL"), ("http://x", "unknown scheme"), ("redis://h:0", "port"),
            ("redis://h:x", "port"),
            ("redis://h/x", "database"), ("redis://user@h", "password"), ("redis://:%zz@h", "%"),
            ("redis://:%+5@h", "%"),
            ("unix://run", "path"),
            ("redis://h?x=1", "unknown option x"), ("redis://[::1", "IPv6"),
            ("redis://h?ssl_cert_reqs=none", "unknown option ssl_cert_reqs"),
            ("rediss://h?ssl_cert_reqs=maybe", "none, optional or required"), ("rediss://h?ssl_x=1", "ssl_x"),
            ("rediss://h?ssl_check_hostname=perhaps", "true or false"), ("redis+sentinel://h", "master's name"),
            ("redis+sentinel:///m", "sentinels' hosts"), ("redis+sentinel://h:x/m", "port"),
        ])
    func violations(_ url: String, _ word: String) {
        do throws(RedisAddress.ParseError) {
            let address = try RedisAddress(url)
            #expect(Bool(false), "\(url) is \(address)")
        } catch {
            #expect(error.description.contains(word), "\(error)")
        }
    }

    @Test("the description of an address has no password")
    func secrecy() throws {
        let text = "\(try RedisAddress("redis://ann:secret@[::1]:7000/3"))"
        #expect(text == "redis://[::1]:7000/3")
        let sentinels = try RedisAddress("rediss+sentinel://ann:secret@a,b:7/m?sentinel_password=hush")
        #expect("\(sentinels)" == "rediss+sentinel://a:26379,b:7/m?db=0")
    }

    @Test("the options of TLS and of sentinels have redis-py's names")
    func options() throws {
        let secure = try RedisAddress(
            "rediss://h?ssl_check_hostname=false&ssl_ca_certs=/a%20b&ssl_certfile=/c&ssl_keyfile=/k&socket_timeout=5")
        var tls = RedisTLS()
        tls.checksHostname = false
        tls.authorityPath = "/a b"
        tls.certificatePath = "/c"
        tls.keyPath = "/k"
        #expect(secure.tls == tls)
        let address = try RedisAddress(
            "redis+sentinel://ann:pw@one,two:7000/my%2Fmaster/3?sentinel_username=bob&sentinel_password=hush")
        let sentinels = RedisSentinels(
            endpoints: [.tcp(host: "one", port: 26379), .tcp(host: "two", port: 7000)], master: "my/master",
            user: "bob", password: "hush")
        #expect(address.place == .master(sentinels))
        #expect(address.user == "ann")
        #expect(address.password == "pw")
        #expect(address.database == 3)
        #expect(address.tls == nil)
    }

    @Test("an unreadable TLS file is reported at once")
    func files() throws {
        for option in ["ssl_ca_certs", "ssl_certfile", "ssl_keyfile"] {
            do throws(RedisAddress.ParseError) {
                try RedisAddress("rediss://h?\(option)=/nowhere/x.pem").check()
                Issue.record("\(option) was not read")
            } catch {
                #expect(error.description.contains(option))
            }
        }
        try RedisAddress("redis://h").check()
    }
}
