import ParleyRedis
import ParleyTestSupport
import Testing

@Suite("Subscriptions are live once acknowledged, and restored after a reconnect")
struct SubscriptionTableTests {
    @Test("a request is complete with the last of its channels")
    func waiting() {
        var table = SubscriptionTable()
        #expect(table.subscribe(to: ["a", "b"], as: 1) == (["a", "b"], false))
        #expect(table.subscribe(to: ["b", "c"], as: 2) == (["c"], false))
        #expect(table.acknowledged("a").done == [])
        #expect(table.acknowledged("b").done == [1])
        #expect(table.acknowledged("c").done == [2])
        #expect(table.subscribe(to: ["a", "c"], as: 3) == ([], true))
    }

    @Test("a channel subscribed again waits for its own acknowledgement")
    func again() {
        var table = SubscriptionTable()
        _ = table.subscribe(to: ["a"], as: 1)
        #expect(table.unsubscribe(from: ["a"]).toSend == ["a"])
        #expect(table.subscribe(to: ["a"], as: 2) == (["a"], false))
        #expect(table.acknowledged("a").done == [1])
        #expect(table.acknowledged("a").done == [2])
        #expect(table.isWanted("a"))
    }

    @Test("a lost connection ends waiting requests, and all wanted channels are subscribed with the next one")
    func cut() {
        var table = SubscriptionTable()
        _ = table.subscribe(to: ["a"], as: 1)
        _ = table.acknowledged("a")
        _ = table.subscribe(to: ["b"], as: 2)
        #expect(table.lost() == [2])
        #expect(Set(table.resubscribed()) == ["a", "b"])
        #expect(table.subscribe(to: ["a"], as: 3) == ([], false))
        #expect(table.acknowledged("a") == ([3], false))
        #expect(table.acknowledged("b") == ([], true))
    }

    @Test("channels that are requested while the connection is lost are subscribed with the next one")
    func later() {
        var table = SubscriptionTable()
        table.subscribeLater(to: ["a", "b"])
        #expect(table.isWanted("a"))
        #expect(table.unsubscribe(from: ["b"]).isBack == false)
        #expect(table.resubscribed() == ["a"])
        #expect(table.subscribe(to: ["a"], as: 1) == ([], false))
        #expect(table.acknowledged("a") == ([1], true))
        #expect(table.subscribe(to: ["a"], as: 2) == ([], true))
    }

    @Test("a channel that is not wanted when the connection is lost is not subscribed again")
    func unwanted() {
        var table = SubscriptionTable()
        _ = table.subscribe(to: ["a"], as: 1)
        _ = table.unsubscribe(from: ["a"])
        #expect(table.lost() == [1])
        #expect(table.resubscribed() == [])
    }

    @Test("unsubscribing the last missing channel completes the reconnect")
    func givingUp() {
        var table = SubscriptionTable()
        _ = table.subscribe(to: ["a", "b"], as: 1)
        for name in ["a", "b"] { _ = table.acknowledged(name) }
        _ = table.lost()
        #expect(Set(table.resubscribed()) == ["a", "b"])
        #expect(!table.acknowledged("a").isBack)
        #expect(table.unsubscribe(from: ["b"]).isBack)
    }

    /// A simulated server of one connection: takes commands in order, and acknowledges each channel of a SUBSCRIBE.
    private struct Server {
        var commands: [(isSubscribe: Bool, name: String)] = []
        var subscribed: Set<String> = []
        var replies: [String] = []

        mutating func execute() {
            guard !commands.isEmpty else { return }
            let (isSubscribe, name) = commands.removeFirst()
            if isSubscribe {
                subscribed.insert(name)
                replies.append(name)
            } else {
                subscribed.remove(name)
            }
        }
    }

    @Test("the invariants hold for random sequences of events", arguments: 1...40)
    func random(_ seed: Int) {
        var generator = SeededGenerator(UInt64(seed))
        var table = SubscriptionTable()
        var server = Server()
        var isConnected = true
        var wanted: Set<String> = []
        var open: [Int: [String]] = [:]
        var ended: Set<Int> = []
        var last = 0

        func end(_ requests: [Int], isDone: Bool) {
            for request in requests {
                #expect(ended.insert(request).inserted, "request \(request) ends once, with seed \(seed)")
                let names = open.removeValue(forKey: request) ?? []
                guard isDone else { continue }
                // Channels that were not unsubscribed since are live.
                for name in names {
                    #expect(server.subscribed.contains(name), "\(name) is live, with seed \(seed)")
                }
            }
        }
        func step(_ kind: Int) {
            let names = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                "c\(Int.random(in: 0..<8, using: &generator))"
            }
            let unique = Array(Set(names)).sorted()
            switch kind {
            case 0..<3 where !isConnected:
                wanted.formUnion(unique)
                table.subscribeLater(to: unique)
            case 0..<3:
                last += 1
                open[last] = unique
                wanted.formUnion(unique)
                let (toSend, isDone) = table.subscribe(to: unique, as: last)
                server.commands += toSend.map { (true, $0) }
                if isDone { end([last], isDone: true) }
            case 3..<5:
                wanted.subtract(unique)
                for request in open.keys { open[request]?.removeAll { unique.contains($0) } }
                let toSend = table.unsubscribe(from: unique).toSend
                if isConnected { server.commands += toSend.map { (false, $0) } }
            case 5..<12 where isConnected:
                server.execute()
            case 12..<19 where isConnected && !server.replies.isEmpty:
                end(table.acknowledged(server.replies.removeFirst()).done, isDone: true)
            case 19 where isConnected && Int.random(in: 0..<10, using: &generator) == 0:
                server = Server()
                isConnected = false
                end(table.lost(), isDone: false)
            case 20 where !isConnected:
                isConnected = true
                server.commands = table.resubscribed().map { (true, $0) }
            default: break
            }
        }
        for _ in 0..<3000 { step(Int.random(in: 0...20, using: &generator)) }
        if !isConnected { step(20) }
        while !server.commands.isEmpty || !server.replies.isEmpty {
            step(5)
            step(12)
        }
        #expect(open.isEmpty, "every request ends, with seed \(seed)")
        #expect(server.subscribed == wanted, "with seed \(seed)")
        _ = table.lost()
        #expect(Set(table.resubscribed()) == wanted)
    }
}
