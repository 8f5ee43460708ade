import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Of an erased user, and of a deleted room, nothing is left", .timeLimit(.minutes(3)))
struct ErasedTextTests {
    @Test("texts, parts, profile and name are gone within 5 s, on all hosts", arguments: [1, 3])
    func erasure(_ hosts: Int) async throws {
        let cluster = try await SecretCluster.start(hosts: hosts)
        let rooms = (1...6).map { "r\($0)" }
        try await cluster.importing(
            [
                #"{"user":{"id":"u1","username":"hidden-name","password":"correct horse"}}"#,
                #"{"user":{"id":"bob","username":"bob"}}"#,
            ]
                + rooms.flatMap { room in
                    [
                        #"{"thread":{"id":"\#(room)","title":"Room \#(room)","visibility":"public"}}"#,
                        #"{"member":{"thread":"\#(room)","user":"bob","role":"owner"}}"#,
                    ]
                })
        let profile = #"{"display_name":"hidden-display","avatar_url":"https://example.org/hidden-face.png"}"#
        let patched = try await cluster.rest(as: "u1").send(
            "PATCH", "/v1/me", headers: [("Content-Type", "application/json")], body: Array(profile.utf8))
        #expect(patched.status == 200)
        for room in rooms {
            // Joined by themselves, so that the name stands in the log.
            let reply = try await cluster.rest(as: "u1").post("/v1/threads", json: ["title": .string("Room \(room)")])
            #expect(reply.status == 200)
        }
        let user = try await cluster.client("u1")
        let bob = try await cluster.client("bob", at: 1)
        var seqs: [String: Int] = [:]
        for room in rooms {
            let parts =
                #","parts":[{"type":"text/plain","content":"hidden-part"}],"client_id":"hidden-client-\#(room)""#
            let message = try await user.say("hidden-text", in: room, parts)
            try await user.edit(message.id, in: room, "hidden-edit")
            let mine = try await bob.say("mine", in: room)
            for emoji in [":hidden-emoji:", "👍"] { try await user.react(mine.id, in: room, emoji) }
            seqs[room] = message.seq
        }
        let direct = try await cluster.rest(as: "bob").post("/v1/direct", json: ["user": "u1"])
        let thread = try #require(try direct.json()["id"]?.string)
        _ = try await bob.ask(#""ping":1"#)
        _ = try await bob.say("for you", in: thread)
        _ = try await user.say("hidden-text", in: thread)
        #expect(try await !cluster.places(of: "hidden-name").isEmpty)

        let erased = try await cluster.rest(as: "u1").send("DELETE", "/v1/me")
        #expect(erased.status == 204)
        let texts = [
            "hidden-text", "hidden-part", "hidden-edit", "hidden-name", "hidden-display", "hidden-face",
            "hidden-client", "hidden-emoji",
        ]
        let (took, left) = try await cluster.untilGone(texts)
        #expect(left == [])
        #expect(took < .seconds(5) + .leeway)
        let late = try await cluster.client("bob")
        for room in rooms {
            let epoch = late.hello["threads"]?.array?.first { $0["id"]?.string == room }?["epoch"]?.string ?? ""
            for events in [try await bob.history(of: room), try await resumed(room, epoch, on: cluster)] {
                #expect(!"\(events)".contains("hidden"), "\(events)")
                let message = events.first { $0["seq"]?.int == seqs[room] }
                #expect(message?["erased"]?.bool == true && message?["text"]?.string == "", "\(events)")
                #expect(message?["sender_name"]?.string == "erased:u1")
                #expect("\(events)".contains("mine"))
            }
        }
        try await cluster.stop()
    }

    private func resumed(_ room: String, _ epoch: String, on cluster: SecretCluster) async throws -> [JSONValue] {
        let client = try await cluster.client("bob")
        let events = try await client.resume(room, epoch: epoch, seq: 0)
        try await client.socket.close()
        return events
    }

    @Test("a room made again under the id of a deleted one has another epoch and shows nothing old", arguments: [1, 3])
    func madeAgain(_ hosts: Int) async throws {
        let cluster = try await SecretCluster.start(hosts: hosts)
        let room = [
            #"{"thread":{"id":"tea","title":"Tea"}}"#, #"{"member":{"thread":"tea","user":"ann","role":"owner"}}"#,
            #"{"member":{"thread":"tea","user":"bob"}}"#,
        ]
        try await cluster.importing(
            [#"{"user":{"id":"ann","username":"ann"}}"#, #"{"user":{"id":"bob","username":"bob"}}"#] + room)
        let (ann, bob) = (try await cluster.client("ann"), try await cluster.client("bob", at: 1))
        for number in 1...5 { _ = try await ann.say("hidden \(number)", in: "tea") }
        _ = try await bob.say("hidden 6", in: "tea")
        let epoch = try await bob.ask(#""history":{"id":"tea"}"#).response["epoch"]?.string
        let deleted = try await cluster.rest(as: "ann").send("DELETE", "/v1/threads/tea")
        #expect(deleted.status == 204)
        let (took, left) = try await cluster.untilGone(["hidden"])
        #expect(left == [])
        #expect(took < .seconds(5) + .leeway)

        try await cluster.importing(room)
        // Sockets from before are in again, and those that come now.
        #expect(
            try await eventually {
                let response = try await bob.ask(#""history":{"id":"tea"}"#, ref: 7).response
                return response["type"]?.string == "page" && response["events"] == []
            })
        let first = try await bob.ask(#""message":{"id":"tea","text":"new"}"#, ref: 8).response
        #expect(first["type"]?.string == "ack" && first["epoch"]?.string != epoch, "\(first)")
        for client in [ann, bob, try await cluster.client("ann", at: 1)] {
            let events = try await client.history(of: "tea")
            #expect(events.map { $0["text"]?.string } == ["new"])
        }
        let back = try await cluster.client("bob")
        let response = try await back.ask(#""resume":{"threads":{"tea":{"epoch":"\#(epoch ?? "")","seq":4}}}"#).response
        #expect(response["threads"]?["tea"]?["state"]?.string == "rolled_back", "\(response)")
        #expect(
            try await eventually {
                let reply = try await cluster.rest(as: "bob").get("/v1/threads/tea/messages")
                return try reply.json()["messages"]?.array?.map { $0["text"]?.string } == ["new"]
            })
        try await cluster.stop()
    }
}
