import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Access to Redis", .timeLimit(.minutes(5)))
struct EntranceTests {
    /// Checks that a node can do everything it needs by this address.
    private func works(_ url: String) async throws {
        let store = NaiveStore()
        let node = try await RedisNode.start(RedisSettings(addresses: [try RedisAddress(url)]), history: store)
        let running = Task { await node.log.run() }
        let received = node.record()
        // A new one each time, since the server may be the same.
        let name = UUIDv7(.system).description
        let thread = Samples.thread(name)
        try await node.bus.subscribe(to: [.thread(thread), .user(UserID(trusted: "ann"))])
        let receipt = try await node.log.append(Samples.send("hi", in: thread, clientID: name))
        try await received.wait("the event") { $0.contains { $0.event?.position == receipt.position } }
        node.bus.publish(.removed(thread), to: UserID(trusted: "ann"))
        try await received.wait("the control event") {
            $0.contains(.control(.removed(thread), UserID(trusted: "ann")))
        }
        let partition = node.ingest.partitions[node.hosts.layout.names.partition(of: thread)]
        let batch = try await node.ingest.read(partition, after: nil, limit: 10)
        #expect(batch.events.map(\.position).contains(receipt.position))
        await node.ingest.stored(batch, outcomes: batch.outcomes)
        #expect(try await node.log.events(in: thread, after: 0, limit: 10).events.count == 1)
        #expect(try await RedisTicketStore(hosts: node.hosts).redeem(name, until: WallClock.system.milliseconds + 1000))
        running.cancel()
        await running.value
        await node.stop()
    }

    /// Why no connection can be established.
    private func rejection(_ url: String) async throws -> String {
        let settings = RedisSettings(addresses: [try RedisAddress(url)])
        let node = RedisNode.make(settings, history: NaiveStore())
        var reason = ""
        do {
            try await node.hosts.waitUntilReady(within: .milliseconds(700))
            Issue.record("\(url) lets everybody in")
        } catch {
            reason = "\(error)"
        }
        await node.stop()
        return reason
    }

    @Test("a unix socket works")
    func unixSocket() async throws {
        let server = try await RedisServer.start()
        try await works(server.socketURL)
        try await works(server.socketURL + "?db=3")
    }

    @Test("a password works")
    func password() async throws {
        let server = try await RedisServer.start(.init(password: "se/cr%et:@"))
        try await works("redis://:se%2Fcr%25et%3A%40@127.0.0.1:\(server.port)/2")
        #expect(try await rejection("redis://127.0.0.1:\(server.port)").contains("NOAUTH"))
        #expect(try await rejection("redis://:wrong@127.0.0.1:\(server.port)").contains("WRONGPASS"))
    }

    /// The commands that docs/django.md says to allow, and no others.
    static let commands = [
        "auth", "ping", "select", "script|load", "evalsha", "publish", "subscribe", "unsubscribe", "get", "set", "del",
        "mget", "psetex", "setrange", "expire", "time", "xadd", "xlen", "xrange", "xread", "xtrim",
    ]

    @Test("a user with the documented permissions works", arguments: [true, false])
    func user(_ mayAskForInformation: Bool) async throws {
        let rules =
            ["on", ">secret", "~parley:*", "&asgi__group__*", "&parley:*", "-@all"]
            + (Self.commands + (mayAskForInformation ? ["info"] : [])).map { "+\($0)" }
        let server = try await RedisServer.start(.init(arguments: ["--user", "parley"] + rules))
        try await works("redis://parley:secret@127.0.0.1:\(server.port)")
        #expect(try await rejection("redis://parley:wrong@127.0.0.1:\(server.port)").contains("WRONGPASS"))
    }

    // MARK: TLS

    @Test("TLS works, and the certificate is verified")
    func tls() async throws {
        let server = try await RedisServer.start(.init(password: "secret", hasTLS: true))
        let port = try #require(server.tlsPort)
        let certificate = try #require(server.certificate)
        try await works("rediss://:secret@127.0.0.1:\(port)?ssl_ca_certs=\(certificate.path)")
        try await works("rediss://:secret@localhost:\(port)?ssl_ca_certs=\(certificate.path)")
        try await works("rediss://:secret@127.0.0.1:\(port)?ssl_cert_reqs=none")
        let reason = try await rejection("rediss://:secret@127.0.0.1:\(port)")
        #expect(reason.contains("CERTIFICATE_VERIFY_FAILED"), "\(reason)")
        // The plain port with TLS, and the TLS port without.
        _ = try await rejection("rediss://:secret@127.0.0.1:\(server.port)?ssl_cert_reqs=none")
        _ = try await rejection("redis://:secret@127.0.0.1:\(port)")
    }

    @Test("a certificate for another host is refused, unless host names are not checked")
    func otherHost() async throws {
        var options = RedisServer.Options(hasTLS: true)
        options.certificateNames = ["DNS:other.example", "IP:127.0.0.9"]
        let server = try await RedisServer.start(options)
        let port = try #require(server.tlsPort)
        let path = try #require(server.certificate).path
        for host in ["localhost", "127.0.0.1"] {
            #expect(try await !rejection("rediss://\(host):\(port)?ssl_ca_certs=\(path)").isEmpty)
            try await works("rediss://\(host):\(port)?ssl_ca_certs=\(path)&ssl_check_hostname=false")
        }
    }

    @Test("TLS with a client certificate works")
    func clientCertificate() async throws {
        let server = try await RedisServer.start(.init(hasTLS: true, arguments: ["--tls-auth-clients", "yes"]))
        let port = try #require(server.tlsPort)
        let certificate = try #require(server.certificate)
        let url = "rediss://127.0.0.1:\(port)?ssl_ca_certs=\(certificate.path)"
        try await works(url + "&ssl_certfile=\(certificate.path)&ssl_keyfile=\(certificate.keyPath)")
        _ = try await rejection(url)
    }
}
