import ParleyGateway
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// Coming into threads and going out of them on a v1 socket.
@Suite(.timeLimit(.minutes(5))) struct V1MembershipTests {
    @Test("a new member is notified and then gets the events of the thread; a removed one gets nothing more")
    func memberships() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice])
            let (one, other) = (try await node.socket(alice, "parley.v1"), try await node.socket(bob, "parley.v1"))
            try await one.begin()
            try await other.begin()
            try await other.send(text: #"{"ref":1,"join":{"title":"one"}}"#)
            let added = try await other.nextJSON { $0["type"]?.string == "thread" }
            #expect(added["op"]?.string == "added")
            #expect(added["thread"]?["id"]?.string == room.id.text)
            try await one.send(text: #"{"message":{"id":"\#(room.id)","text":"welcome"}}"#)
            #expect(try await other.nextJSON { $0["type"]?.string == "message" }["text"]?.string == "welcome")
            node.inside.bus.publish(.removed(room.id), to: bob.user.id)
            let removed = try await other.nextJSON { $0["type"]?.string == "thread" }
            #expect(removed["op"]?.string == "removed")
            try await one.send(text: #"{"ref":2,"message":{"id":"\#(room.id)","text":"alone"}}"#)
            _ = try await one.nextJSON { $0["ref"]?.int == 2 }
            try await other.send(text: #"{"ref":3,"ping":1}"#)
            #expect(try await other.nextJSON()["type"]?.string == "pong")
            for open in [one, other] { try await open.close() }
            try await node.isEmpty()
        }
    }

    @Test("who joins gets the own event behind `thread` `added`, who leaves before `removed`; the acks say where it is")
    func comesAndGoes() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let one = try await node.socket(alice, "parley.v1")
            let (other, second) = (try await node.socket(bob, "parley.v1"), try await node.socket(bob, "parley.v1"))
            for socket in [one, other, second] { try await socket.begin() }
            try await one.send(text: #"{"ref":1,"join":{"title":"one"}}"#)
            let made = try await one.nextJSON { $0["ref"]?.int == 1 }
            let room = try #require(made["thread_id"]?.string)
            #expect(made["seq"]?.int == 1 && made["date_ms"]?.int != nil && made["epoch"]?.string?.isEmpty == false)

            try await other.send(text: #"{"ref":2,"join":{"title":"one"}}"#)
            for socket in [other, second] {
                let added = try await socket.nextJSON { $0["type"]?.string == "thread" }
                #expect(added["op"]?.string == "added" && added["thread"]?["seq"]?.int == 1)
                let joined = try await socket.nextJSON { $0["type"]?.string == "joined" }
                #expect(joined["seq"]?.int == 2 && joined["user_id"]?.string == bob.id)
            }
            // Nothing changes any more.
            try await other.send(text: #"{"ref":3,"join":{"title":"one"}}"#)
            _ = try await other.nextJSON { $0["ref"]?.int == 3 }
            let ack = try #require(other.received.first { $0.contains(#""ref":2"#) })
            #expect(ack.contains(#""seq":2"#) && ack.contains(#""date_ms":"#) && !ack.contains("repeat"))
            #expect(other.received.contains(#"{"type":"ack","ref":3,"thread_id":"\#(room)"}"#))

            try await other.send(text: #"{"ref":4,"leave":{"id":"\#(room)"}}"#)
            for socket in [other, second] {
                let left = try await socket.nextJSON { $0["type"]?.string == "left" }
                #expect(left["seq"]?.int == 3 && left["user_id"]?.string == bob.id)
                #expect(try await socket.nextJSON { $0["type"]?.string == "thread" }["op"]?.string == "removed")
            }
            try await other.send(text: #"{"ref":5,"leave":{"id":"\#(room)"}}"#)
            _ = try await other.nextJSON { $0["ref"]?.int == 5 }
            #expect(other.received.contains { $0.contains(#""ref":4"#) && $0.contains(#""seq":3"#) })
            #expect(other.received.contains(#"{"type":"ack","ref":5,"thread_id":"\#(room)"}"#))
            for open in [one, other, second] { try await open.close() }
            try await node.isEmpty()
        }
    }

    @Test("the own `left` comes before `removed` though the bus brings it later, and rights end before it")
    func tardyThread() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let (one, second) = (try await node.socket(bob, "parley.v1"), try await node.socket(bob, "parley.v1"))
            for socket in [one, second] { try await socket.begin() }
            node.inside.bus.keepBack { $0.event != nil }
            try await one.send(text: #"{"ref":1,"leave":{"id":"\#(room.id)"}}"#)
            _ = try await one.nextJSON { $0["ref"]?.int == 1 }
            try #require(
                try await eventually {
                    try await second.send(text: #"{"ref":2,"message":{"id":"\#(room.id)","text":"x"}}"#)
                    return try await second.nextJSON { $0["ref"]?.int == 2 }["code"]?.string == "not_a_member"
                }, "the other socket is refused")
            node.inside.bus.release()
            for socket in [one, second] {
                let removed = try await socket.nextJSON { $0["type"]?.string == "thread" }
                #expect(removed["op"]?.string == "removed")
                let left = try #require(socket.received.firstIndex { $0.contains(#""type":"left""#) })
                let out = try #require(socket.received.firstIndex { $0.contains(#""op":"removed""#) })
                #expect(left < out)
                try await socket.close()
            }
            try await node.isEmpty()
        }
    }

    @Test("a command behind an acknowledged `leave` is that of a stranger, though the node has not heard of it yet")
    func behindLeave() async throws {
        try await Node.run { node in
            let bob = try await node.inside.person("bob")
            let room = try await node.inside.room("one", [bob])
            let socket = try await node.socket(bob, "parley.v1")
            try await socket.begin()
            node.inside.bus.keepBack { _ in true }
            try await socket.send(text: #"{"ref":1,"leave":{"id":"\#(room.id)"}}"#)
            try await socket.send(text: #"{"ref":2,"history":{"id":"\#(room.id)"}}"#)
            try await socket.send(text: #"{"ref":3,"message":{"id":"\#(room.id)","text":"x"}}"#)
            #expect(try await socket.nextJSON { $0["ref"]?.int == 1 }["type"]?.string == "ack")
            for ref in 2...3 {
                let response = try await socket.nextJSON { $0["ref"]?.int == ref }
                #expect(response["code"]?.string == "not_a_member")
            }
            node.inside.bus.release()
            // `left` is missing if the change feed was faster than the bus.
            #expect(try await socket.nextJSON { $0["type"]?.string == "thread" }["op"]?.string == "removed")
            try await socket.close()
            try await node.isEmpty()
        }
    }
}
