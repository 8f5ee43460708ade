import ParleyChannels
import ParleyModel
import Testing

@Suite("A node's queues in the core layer, and the capacity of queues")
struct LayerQueuesTests {
    @Test("each host has four queues, whose names hash to it", arguments: [1, 2, 3, 8, 64])
    func hosts(_ count: Int) {
        let ring = HostRing(count: count)
        let queues = LayerQueues(node: "gateway1", ring: ring)
        #expect(queues.queues.map(\.count) == Array(repeating: LayerQueues.perHost, count: count))
        for (host, names) in queues.queues.enumerated() {
            for name in names { #expect(ring.host(of: name) == host) }
        }
        #expect(queues == LayerQueues(node: "gateway1", ring: ring), "the same after a restart")
    }

    @Test("names are valid channels, however long the ids are")
    func names() {
        let node = String(repeating: "n", count: 64)
        let queues = LayerQueues(node: node, ring: HostRing(count: 64))
        for host in 0..<64 {
            let thread = ThreadID(trusted: String(repeating: "t", count: 90))
            let member = queues.member(of: thread, on: host)
            #expect(QueueNames.isValidChannel(member), "\(member)")
            #expect(LayerQueues.isNode(member))
            #expect(LayerQueues.localName(in: member) == LayerQueues.localName(of: thread))
        }
        #expect(!LayerQueues.isNode("specific.parley!a"))
        #expect(LayerQueues.localName(in: "plain") == "")
    }

    @Test("threads use all queues of a host")
    func distribution() {
        let queues = LayerQueues(node: "gateway1", ring: HostRing(count: 1))
        let used = Set((0..<200).map { QueueNames.queue(of: queues.member(of: ThreadID(trusted: "t\($0)"), on: 0)) })
        #expect(used == Set(queues.queues[0]))
    }

    @Test(
        "patterns are those of Python's fnmatch",
        arguments: [
            ("http.request", "http.request", true), ("http!*", "http!1", true), ("http.*", "http!1", false),
            ("*", "", true), ("a?c", "abc", true), ("a?c", "ac", false), ("*b*d", "abcd", true),
            ("*b*d", "abcdx", false), ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[!a-c]x", "dx", true),
            ("[]]x", "]x", true), ("[x", "[x", true), ("specific.*!*", "specific.0!1", true), ("[a-]", "-", true),
        ])
    func patterns(_ pattern: String, _ name: String, _ matches: Bool) {
        let capacities = QueueCapacities(standard: 100, patterns: [.init(pattern, 7)])
        #expect(capacities[name] == (matches ? 7 : 100))
    }

    @Test("the first matching pattern counts")
    func order() {
        let capacities = QueueCapacities(standard: 1, patterns: [.init("a*", 2), .init("ab*", 3)])
        #expect(capacities["abc"] == 2)
        #expect(capacities["b"] == 1)
        #expect(QueueCapacities.Pattern("specific.*=10") == .init("specific.*", 10))
        for text in ["specific", "=1", "a=", "a=0", "a=x"] { #expect(QueueCapacities.Pattern(text) == nil) }
    }
}
