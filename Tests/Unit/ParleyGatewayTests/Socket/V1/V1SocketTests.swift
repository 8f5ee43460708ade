import ParleyGateway
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// The v1 dialect on real sockets; what its session decides is tested as a value.
@Suite(.timeLimit(.minutes(5))) struct V1SocketTests {
    @Test("hello comes first, with the user's threads and where they stand")
    func hello() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let classic = try await node.socket(bob)
            try await classic.say("before", in: room.id.text)
            _ = try await classic.nextJSON()
            let socket = try await node.socket(alice, "parley.v1")
            #expect(socket.reply.header("sec-websocket-protocol") == "parley.v1")
            let hello = try await socket.nextJSON()
            #expect(hello["type"]?.string == "hello")
            #expect(hello["node"]?.string == "test")
            #expect(hello["user"]?["id"]?.string == alice.id)
            #expect(hello["user"]?["username"]?.string == "alice")
            #expect(hello["ping_interval_ms"]?.int == 25_000)
            #expect(hello["limits"]?["sends_per_second"]?.int == 20)
            let thread = try #require(hello["threads"]?.array?.first)
            #expect(thread["id"]?.string == room.id.text)
            #expect(thread["title"]?.string == "one")
            #expect(thread["kind"]?.string == "room")
            #expect(thread["seq"]?.int == 1)
            #expect(thread["epoch"]?.string?.isEmpty == false)
            try await classic.close()
            try await socket.close()
            try await node.isEmpty()
        }
    }

    @Test("a send is acknowledged and comes to everybody in the thread, in every dialect")
    func send() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let classic = try await node.socket(bob)
            let packed = try await node.socket(bob, "parley.v1", offersCompression: true)
            let socket = try await node.socket(alice, "parley.v1")
            try await socket.begin()
            try await packed.begin()
            try await socket.send(
                text: #"{"ref":7,"message":{"id":"\#(room.id)","text":"hi","client_id":"c1"}}"#)
            // Event and answer may come in either order.
            let two = [try await socket.nextJSON(), try await socket.nextJSON()]
            let ack = try #require(two.first { $0["type"]?.string == "ack" })
            let own = try #require(two.first { $0["type"]?.string == "message" })
            #expect(ack["ref"]?.int == 7)
            #expect(ack["level"]?.string == "accepted")
            #expect(ack["client_id"]?.string == "c1")
            #expect(ack["thread_id"]?.string == room.id.text)
            #expect(ack["seq"]?.int == 1)
            for message in [own, try await packed.nextJSON(), try await classic.nextJSON()] {
                #expect(message["type"]?.string == "message")
                #expect(message["text"]?.string == "hi")
                #expect(message["id"]?.string == ack["id"]?.string)
                #expect(message["seq"]?.int == 1)
            }
            try await socket.send(
                text: #"{"ref":8,"message":{"id":"\#(room.id)","text":"hi","client_id":"c1"}}"#)
            let again = try await socket.nextJSON { $0["ref"]?.int == 8 }
            #expect(again["repeat"]?.bool == true)
            #expect(again["id"]?.string == ack["id"]?.string)
            try await socket.send(
                text: #"{"ref":9,"message":{"id":"\#(room.id)","text":"other","client_id":"c1"}}"#)
            #expect(try await socket.nextJSON { $0["ref"]?.int == 9 }["code"]?.string == "conflict")
            for open in [classic, packed, socket] { try await open.close() }
            try await node.isEmpty()
        }
    }

    @Test("a client that comes back is sent what it missed, and then what is new, each once")
    func resume() async throws {
        try await Node.run({ $0.limits.sendsPerSecond = 0 }) { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let classic = try await node.socket(bob)
            for index in 1...100 { try await classic.say("\(index)", in: room.id.text) }
            for _ in 1...100 { _ = try await classic.nextJSON() }
            let socket = try await node.socket(alice, "parley.v1")
            let hello = try await socket.nextJSON()
            let epoch = try #require(hello["threads"]?.array?.first?["epoch"]?.string)
            async let more: Void = {
                for index in 101...200 { try await classic.say("\(index)", in: room.id.text) }
            }()
            try await socket.send(
                text:
                    #"{"ref":1,"resume":{"threads":{"\#(room.id)":{"epoch":"\#(epoch)","seq":40},"nowhere":{"epoch":"x","seq":1}}}}"#
            )
            var seqs: [Int] = []
            while seqs.last != 200 {
                let frame = try await socket.nextJSON()
                switch frame["type"]?.string {
                case "message":
                    seqs.append(try #require(frame["seq"]?.int))
                    #expect(frame["text"]?.string == "\(seqs.last ?? 0)")
                case "resumed":
                    #expect(frame["ref"]?.int == 1)
                    let threads = frame["threads"]
                    #expect(threads?[room.id.text]?["state"]?.string == "replayed")
                    #expect(threads?[room.id.text]?["from"]?.int == 41)
                    #expect(threads?[room.id.text]?["to"]?.int == seqs.last)
                    #expect(threads?["nowhere"]?["state"]?.string == "gone")
                default:
                    Issue.record("unexpected \(frame)")
                }
            }
            #expect(seqs == Array(41...200))
            try await more
            try await classic.close()
            try await socket.close()
            try await node.isEmpty()
        }
    }

    @Test("typing that begins after a message is shown at once, and after the message")
    func typingAfterMessages() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let (one, other) = (try await node.socket(alice, "parley.v1"), try await node.socket(bob, "parley.v1"))
            try await one.begin()
            try await other.begin()
            for index in 1...3 {
                try await other.send(text: #"{"typing":{"id":"\#(room.id)","on":true}}"#)
                try await other.send(text: #"{"ref":\#(index),"message":{"id":"\#(room.id)","text":"\#(index)"}}"#)
                try await other.send(text: #"{"typing":{"id":"\#(room.id)","on":false}}"#)
            }
            for index in 1...3 {
                let isShown = { @Sendable (json: JSONValue) in ["typing", "message"].contains(json["type"]?.string) }
                let (typing, message) = (try await one.nextJSON(where: isShown), try await one.nextJSON(where: isShown))
                #expect(typing["on"]?.bool == true)
                #expect(message["text"]?.string == "\(index)")
            }
            for open in [one, other] { try await open.close() }
            try await node.isEmpty()
        }
    }

    @Test("history pages, pings, read receipts and typing are answered and delivered")
    func commands() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let (one, other) = (try await node.socket(alice, "parley.v1"), try await node.socket(bob, "parley.v1"))
            try await one.begin()
            try await other.begin()
            for index in 1...5 {
                try await one.send(text: #"{"ref":\#(index),"message":{"id":"\#(room.id)","text":"\#(index)"}}"#)
            }
            try await one.send(text: #"{"ref":6,"history":{"id":"\#(room.id)","before":4,"limit":2}}"#)
            let page = try await one.nextJSON { $0["type"]?.string == "page" }
            #expect(page["ref"]?.int == 6)
            #expect(page["events"]?.array?.map { $0["seq"]?.int } == [2, 3])
            #expect(page["has_more_before"]?.bool == true)
            #expect(page["has_more_after"]?.bool == true)
            #expect(page["head_seq"]?.int == 5)
            try await other.send(text: #"{"ref":1,"read":{"id":"\#(room.id)","seq":3}}"#)
            let receipt = try await one.nextJSON { $0["type"]?.string == "read" }
            #expect(receipt["user_id"]?.string == bob.id)
            #expect(receipt["read_seq"]?.int == 3)
            #expect(receipt["date"]?.int != nil)
            try await other.send(text: #"{"ref":2,"read":"\#(room.id)"}"#)
            #expect(try await one.nextJSON { $0["type"]?.string == "read" }["read_seq"]?.int == 5)
            #expect(try await other.nextJSON { $0["ref"]?.int == 2 }["type"]?.string == "ack")
            for _ in 1...3 { try await other.send(text: #"{"typing":{"id":"\#(room.id)","on":true}}"#) }
            try await other.send(text: #"{"typing":{"id":"\#(room.id)","on":false}}"#)
            let first = try await one.nextJSON { $0["type"]?.string == "typing" }
            #expect(first["username"]?.string == "bob")
            #expect(first["on"]?.bool == true)
            #expect(try await one.nextJSON { $0["type"]?.string == "typing" }["on"]?.bool == false)
            try await other.send(text: #"{"ref":3,"ping":12}"#)
            let pong = try await other.nextJSON { $0["type"]?.string == "pong" }
            #expect(pong["ping"]?.int == 12)
            #expect(pong["ref"]?.int == 3)
            for open in [one, other] { try await open.close() }
            try await node.isEmpty()
        }
    }

    @Test(
        "what is wrong is answered by an error that says so",
        arguments: [
            (#"{"ref":1,"message":{"id":"room-two","text":"x"}}"#, "not_a_member"),
            (#"{"ref":1,"message":{"id":"nowhere","text":"x"}}"#, "not_found"),
            (#"{"ref":1,"message":{"id":"room-one","text":""}}"#, "bad_request"),
            (#"{"ref":1,"nonsense":1}"#, "unknown_command"),
            (#"{"ref":1,"resume":{"threads":{}}}"#, "bad_request"),
            (#"{"ref":1,"auth":{"token":"wrong"}}"#, "unauthorized"),
            ("nonsense", "bad_request"),
        ])
    func errors(_ frame: String, _ code: String) async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            try await node.inside.room("one", [alice])
            try await node.inside.room("two", [bob])
            let socket = try await node.socket(alice, "parley.v1")
            try await socket.begin()
            try await socket.send(text: frame)
            let error = try await socket.nextJSON()
            #expect(error["type"]?.string == "error")
            #expect(error["code"]?.string == code)
            #expect(error["message"]?.string?.isEmpty == false)
            #expect(error["retryable"]?.bool == false)
            // The socket lives on.
            try await socket.send(text: #"{"ref":2,"ping":1}"#)
            #expect(try await socket.nextJSON()["type"]?.string == "pong")
            try await socket.close()
            try await node.isEmpty()
        }
    }

    @Test("fresh credentials of the same user keep a socket open; another user's change nothing")
    func auth() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let (fresh, bob) = (try await node.inside.session(of: alice.user), try await node.inside.person("bob"))
            let socket = try await node.socket(alice, "parley.v1")
            try await socket.begin()
            try await socket.send(text: #"{"ref":1,"auth":{"token":"\#(bob.token)"}}"#)
            #expect(try await socket.nextJSON { $0["ref"]?.int == 1 }["code"]?.string == "unauthorized")
            try await socket.send(text: #"{"ref":2,"auth":{"token":"\#(fresh.token)"}}"#)
            #expect(try await socket.nextJSON { $0["ref"]?.int == 2 }["type"]?.string == "ack")
            // It hangs on the new session now.
            node.inside.bus.publish(.sessionRevoked(alice.tokenHash), to: alice.user.id)
            try await socket.send(text: #"{"ref":3,"ping":1}"#)
            #expect(try await socket.nextJSON { $0["ref"]?.int == 3 }["type"]?.string == "pong")
            node.inside.bus.publish(.sessionRevoked(fresh.tokenHash), to: alice.user.id)
            #expect(try await socket.closeCode() == 4001)
            try await node.isEmpty()
        }
    }

    @Test("a node that goes says bye with a delay, answers what is under way, and closes with 4200")
    func drain() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let socket = try await node.socket(alice, "parley.v1")
            try await socket.begin()
            try await socket.send(text: #"{"ref":1,"message":{"id":"\#(room.id)","text":"last"}}"#)
            // What the node has not read is not under way.
            try #require(try await eventually { node.inside.counted("parley_messages_in_total") == 1 }, "read")
            async let down: Void = node.shutDown()
            let bye = try await socket.nextJSON { $0["type"]?.string == "bye" }
            #expect(try #require(bye["reconnect_after_ms"]?.int) >= 0)
            #expect(bye["ticket"]?.string?.isEmpty == false)
            #expect(try await socket.closeCode() == 4200)
            #expect(socket.received.contains { $0.contains(#""ref":1"#) })
            await down
        }
    }

    @Test("watchers of a user are notified when the last device disconnects, and others are not")
    func presence() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let eve = try await node.inside.person("eve")
            try await node.inside.room("one", [alice, bob])
            let (one, other) = (try await node.socket(alice, "parley.v1"), try await node.socket(eve, "parley.v1"))
            try await one.begin()
            try await other.begin()
            let (phone, desk) = (try await node.socket(bob), try await node.socket(bob, "parley.v1"))
            for socket in [one, other] {
                try await socket.send(text: #"{"ref":1,"watch":{"users":["\#(bob.id)"]}}"#)
            }
            let seen = try await one.nextJSON { $0["type"]?.string == "presence" }
            #expect(seen["user_id"]?.string == bob.id)
            #expect(seen["online"]?.bool == true)
            // They share no thread.
            let hidden = try await other.nextJSON { $0["type"]?.string == "presence" }
            #expect(hidden["online"]?.bool == false)
            for socket in [one, other] { _ = try await socket.nextJSON { $0["ref"]?.int == 1 } }
            try await phone.close()
            try await one.send(text: #"{"ref":2,"ping":1}"#)
            #expect(try await one.nextJSON()["type"]?.string == "pong")
            try await desk.close()
            let gone = try await one.nextJSON { $0["type"]?.string == "presence" }
            #expect(gone["online"]?.bool == false)
            #expect(gone["last_seen"]?.int != nil)
            for socket in [one, other] { try await socket.close() }
            try await node.isEmpty()
        }
    }

    @Test("sends over the rate are refused with the time to wait, and reading history is not charged")
    func rate() async throws {
        try await Node.run({
            $0.limits.sendsPerSecond = 1
            $0.limits.sendsBurst = 8
        }) { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            let socket = try await node.socket(alice, "parley.v1")
            try await socket.begin()
            let clock = ContinuousClock()
            let start = clock.now
            for ref in 1...20 {
                try await socket.send(text: #"{"ref":\#(ref),"message":{"id":"\#(room.id)","text":"x"}}"#)
                try await socket.send(text: #"{"ref":\#(100 + ref),"history":{"id":"\#(room.id)"}}"#)
            }
            var codes: [String] = []
            for ref in 1...20 {
                let response = try await socket.nextJSON { $0["ref"]?.int == ref }
                codes.append(response["code"]?.string ?? "ack")
                if response["code"] != nil { #expect(try #require(response["retry_after_ms"]?.int) > 0) }
                #expect(try await socket.nextJSON { $0["ref"]?.int == 100 + ref }["type"]?.string == "page")
            }
            #expect(Set(codes).isSubset(of: ["ack", "rate_limited"]))
            // The burst, and one for each second that the test took.
            let seconds = Int((clock.now - start) / .seconds(1))
            #expect((7...(9 + seconds)).contains(codes.count { $0 == "ack" }))
            try await socket.close()
            try await node.isEmpty()
        }
    }

    @Test("the ticket of hello opens further sockets, until the session is over")
    func ticket() async throws {
        try await Node.run { node in
            let alice = try await node.inside.person("alice")
            let first = try await node.socket(alice, "parley.v1")
            let ticket = try #require(try await first.nextJSON()["ticket"]?.string)
            for _ in 1...2 {
                let again = try await TestSocket.connect(
                    port: node.port, path: "/v1/socket?ticket=\(ticket)", subprotocols: ["parley.v1"])
                #expect(try await again.nextJSON()["user"]?["id"]?.string == alice.id)
                try await again.close()
            }
            _ = try await node.inside.store.revokeSession(alice.tokenHash)
            let late = try await TestSocket.open(port: node.port, path: "/v1/socket?ticket=\(ticket)")
            #expect(late.status == 401)
            try await first.close()
            try await node.isEmpty()
        }
    }

    @Test("a client that does not read gets the range of events left out, and continues from there")
    func behind() async throws {
        try await Node.run({ $0.limits.sendsPerSecond = 0 }) { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let (slow, brisk) = (try await node.socket(bob, "parley.v1"), try await node.socket(alice))
            try await slow.begin()
            try await slow.setReading(false)
            let text = String(repeating: "x", count: 4000)
            let count = 3000
            for index in 1...count {
                try await brisk.say("\(index) \(text)", in: room.id.text)
                _ = try await brisk.nextJSON()
            }
            try await slow.setReading(true)
            var covered: [ClosedRange<Int>] = []
            while covered.last?.upperBound != count {
                let frame = try await slow.nextJSON()
                if let seq = frame["seq"]?.int, frame["type"]?.string == "message" { covered.append(seq...seq) }
                if let range = frame["threads"]?[room.id.text], frame["type"]?.string == "behind",
                    let from = range["from"]?.int, let to = range["to"]?.int
                {
                    covered.append(from...to)
                }
            }
            // Without a hole, each once, and something was left out.
            #expect(covered.first?.lowerBound == 1)
            for (one, next) in zip(covered, covered.dropFirst()) { #expect(next.lowerBound == one.upperBound + 1) }
            #expect(covered.contains { $0.count > 1 })
            try await brisk.say("after", in: room.id.text)
            #expect(try await slow.nextJSON()["text"]?.string == "after")
            for open in [slow, brisk] { try await open.close() }
            try await node.isEmpty()
        }
    }
}

extension TestSocket {
    /// Takes the hello and ends the time in which events are held back.
    func begin() async throws {
        #expect(try await nextJSON()["type"]?.string == "hello")
        try await send(text: #"{"ref":0,"ping":0}"#)
        #expect(try await nextJSON()["type"]?.string == "pong")
    }
}
