import ParleyGateway
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// The reports of a node about its sockets, with real sockets.
@Suite(.timeLimit(.minutes(5))) struct SocketReportTests {
    @Test("a user's sockets are reported in every dialect, with their progress in the requested threads")
    func user() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let quiet = try await node.inside.room("quiet", [alice])
            let v1 = try await node.socket(alice, "parley.v1")
            try await v1.begin()
            let classic = try await node.socket(alice)
            let bobs = try await node.socket(bob)
            for text in ["a", "b"] { try await classic.say(text, in: room.id.text) }
            for _ in 0..<2 { _ = try await classic.nextJSON() }
            let nowhere = ThreadID(trusted: "nowhere")
            let (sockets, count) = await node.inside.gateway.sockets(
                of: alice.user.id, in: [room.id, quiet.id, nowhere])
            #expect(count == 2)
            #expect(Set(sockets.map(\.dialect)) == ["classic", "v1"])
            for socket in sockets {
                #expect(socket.user == alice.user)
                #expect(socket.address == "127.0.0.1")
                #expect(socket.credential == "session")
                #expect(socket.connected == node.inside.clock.wall.milliseconds)
                #expect(socket.lastSeen <= node.inside.clock.wall.milliseconds)
                #expect(socket.lastSeen > node.inside.clock.wall.milliseconds - 30_000)
                #expect(socket.waitingBytes == 0)
                // A thread without a subscription has no progress.
                #expect(socket.places.map(\.thread) == [room.id, quiet.id])
                #expect(socket.places.map { $0.position?.seq } == [2, nil])
            }
            #expect(await node.inside.gateway.sockets(of: UserID(trusted: "nobody"), in: []).count == 0)
            #expect(node.inside.gateway.counts.users == 2)
            #expect(node.inside.gateway.counts.connections == 3)
            for socket in [v1, classic, bobs] { try await socket.close() }
            try await node.isEmpty()
        }
    }

    @Test("a thread's sockets are counted, and a bounded number is reported")
    func thread() async throws {
        try await Node.run({ $0.limits.connectionsPerUser = 0 }) { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let other = try await node.inside.room("other", [bob])
            let nobody = await node.inside.gateway.sockets(in: room.id)
            #expect(nobody.count == 0 && !nobody.follows)
            var open: [TestSocket] = []
            for _ in 0..<NodeReply.maximumSockets + 3 { open.append(try await node.socket(alice)) }
            open.append(try await node.socket(bob))
            // A client has the response to its handshake before the loop of its socket has counted it.
            #expect(
                try await eventually {
                    await node.inside.gateway.sockets(in: room.id).count == NodeReply.maximumSockets + 4
                })
            let (sockets, _, follows) = await node.inside.gateway.sockets(in: room.id)
            #expect(follows)
            #expect(sockets.count == NodeReply.maximumSockets)
            #expect(sockets.allSatisfy { $0.places.map(\.thread) == [room.id] })
            let one = await node.inside.gateway.sockets(in: other.id)
            #expect(one.sockets.map(\.user.name) == ["bob"])
            for socket in open { try await socket.close() }
            try await node.isEmpty()
        }
    }

    @Test("events that a slow v1 client has not got are reported")
    func behind() async throws {
        try await Node.run({ $0.limits.sendsPerSecond = 0 }) { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            let room = try await node.inside.room("one", [alice, bob])
            let slow = try await node.socket(alice, "parley.v1")
            try await slow.begin()
            try await slow.setReading(false)
            let fast = try await node.socket(bob)
            let text = String(repeating: "x", count: 4_000)
            // The kernel takes a few MiB before anything waits in the gateway.
            var isBehind = false
            for number in 0..<4000 where !isBehind {
                try await fast.say(text, in: room.id.text)
                _ = try await fast.nextJSON()
                guard number % 50 == 0 else { continue }
                let report = await node.inside.gateway.sockets(of: alice.user.id, in: [room.id])
                isBehind = report.sockets.first?.places.first?.behind != nil
            }
            #expect(isBehind)
            let report = try #require(
                await node.inside.gateway.sockets(of: alice.user.id, in: [room.id]).sockets.first)
            #expect(report.waitingBytes > 0)
            #expect(report.places[0].behind?.upperBound == report.places[0].position?.seq)
            try await fast.close()
            await slow.drop()
            try await node.isEmpty()
        }
    }

    @Test("an operator closes all sockets of a user with 4001, and no others")
    func close() async throws {
        try await Node.run { node in
            let (alice, bob) = (try await node.inside.person("alice"), try await node.inside.person("bob"))
            try await node.inside.room("one", [alice, bob])
            let alices = [try await node.socket(alice), try await node.socket(alice, "parley.v1")]
            let bobs = try await node.socket(bob)
            #expect(await node.inside.gateway.closeSockets(of: alice.user.id) == 2)
            for socket in alices { #expect(try await socket.closeCode() == 4001) }
            #expect(await node.inside.gateway.closeSockets(of: alice.user.id) == 0)
            try await bobs.say("still here", in: "room-one")
            #expect(try await bobs.nextJSON()["text"]?.string == "still here")
            try await bobs.close()
            try await node.isEmpty()
        }
    }
}
