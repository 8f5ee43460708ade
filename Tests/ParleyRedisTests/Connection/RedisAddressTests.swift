import ParleyRedis
import Testing

@Suite("Where a Redis is")
struct RedisAddressTests {
    @Test("URLs are read as redis-py reads them")
    func vectors() throws {
        var count = 0
        for entry in try Vectors().list("hosts", "vectors") {
            // Options of TLS and Django's dictionaries are not URLs of ours.
            guard let url = entry["entry"] as? String, !url.contains("ssl_") else { continue }
            count += 1
            let address = try RedisAddress(url)
            switch address.place {
            case .tcp(let host, let port):
                #expect(host == entry["host"] as? String)
                #expect(port == entry["port"] as? Int ?? 6379)
            case .unix(let path):
                #expect(path == entry["path"] as? String)
            }
            #expect(address.database == entry["db"] as? Int ?? 0)
            #expect(address.user == entry["username"] as? String)
            #expect(address.password == entry["password"] as? String)
            #expect(address.usesTLS == (entry["is"] as? String == "SSLConnection"))
        }
        #expect(count >= 6)
    }

    @Test(
        "what is wrong is said",
        arguments: [
            ("localhost", "not a URL"), ("http://x", "unknown scheme"), ("redis://h:0", "port"),
            ("redis://h:x", "port"),
            ("redis://h/x", "database"), ("redis://user@h", "password"), ("redis://:%zz@h", "%"),
            ("unix://run", "path"),
            ("redis://h?x=1", "unknown option x"), ("redis://[::1", "IPv6"),
        ])
    func flaws(_ url: String, _ word: String) {
        do throws(RedisAddress.Flaw) {
            let address = try RedisAddress(url)
            #expect(Bool(false), "\(url) is \(address)")
        } catch {
            #expect(error.description.contains(word), "\(error)")
        }
    }

    @Test("an address in a log has no password")
    func secrecy() throws {
        let text = "\(try RedisAddress("redis://ann:secret@[::1]:7000/3"))"
        #expect(text == "redis://::1:7000/3")
    }
}
