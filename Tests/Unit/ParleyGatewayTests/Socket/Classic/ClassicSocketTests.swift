import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClassicSocketTests {
    @Test("a message comes to every socket of every member, the sender's own included, in one order")
    func everybody() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let eve = try await node.inside.person("eve")
            let room = try await node.inside.room("one", [alice, bob])
            var sockets: [TestSocket] = []
            for index in 0..<6 {
                sockets.append(try await node.socket(index < 3 ? alice : bob, offersCompression: index % 2 == 0))
            }
            let outsider = try await node.socket(eve)
            for index in 0..<60 { try await sockets[index % 6].say("\(index)", in: room.id.text) }
            var orders: Set<[Int]> = []
            for socket in sockets {
                var seqs: [Int] = []
                var texts: Set<String> = []
                for _ in 0..<60 {
                    let message = try await socket.nextJSON()
                    seqs.append(try #require(message["seq"]?.int))
                    texts.insert(try #require(message["text"]?.string))
                    #expect(message["thread_id"]?.string == room.id.text)
                }
                #expect(texts.count == 60)
                orders.insert(seqs)
            }
            #expect(orders == [Array(1...60)])
            for socket in sockets { try await socket.close() }
            #expect(outsider.received.isEmpty)
            try await outsider.close()
            try await node.isEmpty()
        }
    }

    @Test("one connection's messages keep their order at any speed")
    func order() async throws {
        try await Node.run({ $0.limits.sendsPerSecond = 0 }) { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let socket = try await node.socket(alice)
            let frames = (0..<2000).flatMap { index in
                SocketFrame(.text, Array(#"{"message":{"id":"\#(room.id)","text":"\#(index)"}}"#.utf8)).bytes()
            }
            async let sent: Void = socket.send(raw: frames)
            for index in 0..<2000 { #expect(try await socket.nextText() == "\(index)") }
            try await sent
        }
    }

    @Test("who only listens has no budgets; the sockets of who sends have one together, which outlives them")
    func lazyRate() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let (one, two) = (try await node.socket(alice), try await node.socket(alice))
            let listener = try await node.socket(bob)
            let budgets = node.inside.budgets
            #expect(budgets.count == 0)
            for socket in [one, two] {
                try await socket.say("hello", in: room.id.text)
                #expect(try await listener.nextText() == "hello")
                #expect(budgets.count == 1)
            }
            try await one.close()
            try #require(try await eventually { node.inside.gateway.counts.sockets == 2 }, "one socket less")
            #expect(budgets.count == 1)
            for socket in [two, listener] { try await socket.close() }
            try await node.isEmpty()
            // Until they are full again.
            #expect(budgets.count <= 1)
        }
    }

    @Test("sends over the rate wait in their order, for all sockets of a user together")
    func rate() async throws {
        try await Node.run({
            $0.limits.sendsPerSecond = 50
            $0.limits.sendsBurst = 5
        }) { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let (one, two) = (try await node.socket(alice), try await node.socket(alice))
            let start = ContinuousClock.now
            for index in 0..<20 {
                try await one.say("one \(index)", in: room.id.text)
                try await two.say("two \(index)", in: room.id.text)
            }
            var texts: [String] = []
            for _ in 0..<40 { texts.append(try await one.nextText() ?? "") }
            #expect(texts.filter { $0.hasPrefix("one") } == (0..<20).map { "one \($0)" })
            #expect(texts.filter { $0.hasPrefix("two") } == (0..<20).map { "two \($0)" })
            // 35 beyond the burst at 50 a second.
            #expect(start.duration(to: .now) > .milliseconds(650))
        }
    }

    @Test("the 257th send that must wait ends the socket with 1013")
    func tooManyWait() async throws {
        try await Node.run({
            $0.limits.sendsPerSecond = 1
            $0.limits.sendsBurst = 1
        }) { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let socket = try await node.socket(alice)
            for index in 0..<300 { try? await socket.say("\(index)", in: room.id.text) }
            #expect(try await socket.closeCode() == 1013)
            try await node.isEmpty()
        }
    }

    @Test("a send into a thread that was joined a moment ago waits for the news and goes through")
    func joinedJustNow() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let socket = try await node.socket(alice)
            let first = try await node.inside.room("one", [alice, bob])
            let other = try await node.socket(bob)
            try await other.say("before", in: first.id.text)
            #expect(try await other.nextText() == "before")
            // No event has reported the membership to alice's socket.
            try await socket.say("mine", in: first.id.text)
            try await socket.say("mine too", in: first.id.text)
            #expect(try await socket.nextText() == "mine")
            #expect(try await socket.nextText() == "mine too")
            #expect(try await other.nextText() == "mine")
            try await other.say("yours", in: first.id.text)
            #expect(try await other.nextText() == "mine too")
            #expect(try await socket.nextText() == "yours")
            #expect(node.inside.counted("parley_frames_dropped_total", [("reason", "not_a_member")]) == 0)
        }
    }

    @Test("what a client may not send is dropped and counted, and the socket lives on")
    func dropped() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let (mine, theirs) = (try await node.inside.room("one", [alice]), try await node.inside.room("two", [bob]))
            let socket = try await node.socket(alice)
            let other = try await node.socket(bob)
            try await socket.say("hi", in: theirs.id.text)
            try await socket.say("hi", in: "no-such-thread")
            try await socket.say("", in: mine.id.text)
            try await socket.say(String(repeating: "a", count: 4097), in: mine.id.text)
            try await socket.send(text: "{")
            try await socket.send(text: "[]")
            try await socket.send(text: #"{"read":"\#(theirs.id)"}"#)
            try await socket.say("good", in: mine.id.text)
            #expect(try await socket.nextText() == "good")
            for (reason, count) in [("not_a_member", 3), ("bad_text", 1), ("text_too_long", 1)] {
                #expect(node.inside.counted("parley_frames_dropped_total", [("reason", reason)]) == Int64(count))
            }
            #expect(other.received.isEmpty)
        }
    }

    @Test("20 bad frames end the socket with 4002")
    func abuse() async throws {
        try await Node.run { node in
            let socket = try await node.socket(try await node.inside.person("alice"))
            for _ in 0..<20 { try? await socket.send(text: "{") }
            #expect(try await socket.closeCode() == 4002)
            #expect(node.inside.counted("parley_sockets_closed_total", [("code", "4002")]) == 1)
            try await node.isEmpty()
        }
    }

    @Test("what is added or removed by a control event is live or silent at once")
    func membershipChanges() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let socket = try await node.socket(alice)
            let other = try await node.socket(bob)
            let room = try await node.inside.room("one", [alice, bob])
            let membership = Membership(thread: room, role: .member)
            for person in [alice, bob] { node.inside.bus.publish(.added(membership, after: 0), to: person.user.id) }
            try await other.say("hello", in: room.id.text)
            #expect(try await other.nextText() == "hello")
            #expect(try await socket.nextText() == "hello")
            node.inside.bus.publish(.removed(room.id), to: alice.user.id)
            for text in ["private", "more"] {
                try await other.say(text, in: room.id.text)
                #expect(try await other.nextText() == text)
            }
            #expect(socket.received.filter { $0.contains("private") }.isEmpty)
        }
    }
}
