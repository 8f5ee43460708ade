import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The direct dialect with Starscream's handshake, and its crossing with classic clients.
    @Suite struct DirectTests {
        private struct Pair {
            let parley: ParleyProcess
            let alice: TestUser
            let bob: TestUser
        }

        private func pair() async throws -> Pair {
            let parley = try await ParleyProcess.start()
            return Pair(
                parley: parley, alice: try await TestUser.signUp("alice", port: parley.port),
                bob: try await TestUser.signUp("bob", port: parley.port))
        }

        @Test("a message reaches all of the other's sockets and the sender's other sockets, not the one it came from")
        func delivery() async throws {
            let pair = try await pair()
            let alice = try await StarscreamClient.start(pair.alice)
            let aliceToo = try await StarscreamClient.start(pair.alice)
            let bob = try await StarscreamClient.start(pair.bob)
            let bobToo = try await StarscreamClient.start(pair.bob)
            #expect(alice.socket.reply.header("sec-websocket-protocol") == "parley.direct")

            try await alice.send("hi", to: "bob")
            for socket in [bob.socket, bobToo.socket, aliceToo.socket] {
                let message = try await socket.nextJSON()
                #expect(message["id"] == -1)
                #expect(message["fromUser"] == "alice")
                #expect(message["toUser"] == "bob")
                #expect(message["message"] == "hi")
                #expect(message["read"] == false)
                let time = try #require(message["time"]?.string)
                #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
                let date = try #require(ISO8601DateFormatter().date(from: time))
                #expect(abs(date.timeIntervalSinceNow) < 60)
            }

            // The next thing on Alice's own socket is the answer, so her own message was not sent to her.
            try await bob.send("hello", to: "alice")
            #expect(try await alice.socket.nextJSON()["message"] == "hello")
            #expect(try await bobToo.socket.nextJSON()["message"] == "hello")
        }

        @Test("an unknown addressee is an error to the sender, and the socket lives on")
        func unknownUser() async throws {
            let pair = try await pair()
            let alice = try await StarscreamClient.start(pair.alice)
            let bob = try await StarscreamClient.start(pair.bob)
            try await alice.send("anybody?", to: "nobody")
            let error = try await alice.socket.nextJSON()
            #expect(error["error"] == "unknown user")
            #expect(error["toUser"] == "nobody")
            try await alice.send("hi", to: "bob")
            #expect(try await bob.socket.nextJSON()["message"] == "hi")
        }

        @Test("direct and classic sockets of the same two users are in one thread, which is in the REST history")
        func crossing() async throws {
            let pair = try await pair()
            let alice = try await StarscreamClient.start(pair.alice)
            let bob = try await StarscreamClient.start(pair.bob)
            let aliceClassic = try await pair.alice.socket()
            let bobClassic = try await pair.bob.socket()

            try await alice.send("from direct", to: "bob")
            let atBob = try await bobClassic.nextMessage()
            let atAlice = try await aliceClassic.nextMessage()
            #expect(atBob == atAlice)
            #expect(atBob.text == "from direct")
            #expect(atBob.senderID == pair.alice.id)
            #expect(try await bob.socket.nextJSON()["message"] == "from direct")

            try await bobClassic.say("from classic", in: atBob.threadID)
            #expect(try await aliceClassic.nextMessage().text == "from classic")
            for socket in [alice.socket, bob.socket] {
                let message = try await socket.nextJSON()
                #expect(message["fromUser"] == "bob")
                #expect(message["toUser"] == "alice")
                #expect(message["message"] == "from classic")
            }

            for user in [pair.alice, pair.bob] {
                let inbox = try await user.inbox()
                #expect(inbox.map { $0["id"]?.string } == [atBob.threadID])
                let history = try await user.history(of: atBob.threadID)
                #expect(history.map { $0["text"]?.string } == ["from classic", "from direct"])
            }
            // Each sees the other's name as the title.
            #expect(try await pair.alice.inbox().first?["title"] == "bob")
            #expect(try await pair.bob.inbox().first?["title"] == "alice")
        }

        @Test("two first messages at once make one thread")
        func raceOfFirstMessages() async throws {
            let pair = try await pair()
            let alice = try await StarscreamClient.start(pair.alice)
            let bob = try await StarscreamClient.start(pair.bob)
            async let one: Void = alice.send("a", to: "bob")
            async let other: Void = bob.send("b", to: "alice")
            _ = try await (one, other)
            #expect(try await bob.socket.nextJSON()["message"] == "a")
            #expect(try await alice.socket.nextJSON()["message"] == "b")
            let inbox = try await pair.alice.inbox()
            #expect(inbox.count == 1)
            let thread = try #require(inbox.first?["id"]?.string)
            #expect(try await pair.alice.history(of: thread).count == 2)
        }

        @Test("what Bob missed while away is in his history, and unread")
        func away() async throws {
            let pair = try await pair()
            let alice = try await StarscreamClient.start(pair.alice)
            let aliceClassic = try await pair.alice.socket()
            try await alice.send("are you there?", to: "bob")
            let thread = try await aliceClassic.nextMessage().threadID
            #expect(try await pair.bob.unread(in: thread) == 1)
            #expect(try await pair.bob.page(of: thread).messages.map { $0["text"]?.string } == ["are you there?"])
        }

        @Test(
            "a frame that is no direct message does not reach anybody",
            arguments: [
                #"{"toUser":"bob"}"#, #"{"message":"hi"}"#, #"{"toUser":7,"message":"hi"}"#,
                #"{"toUser":"bob","message":""}"#, "[]", "nonsense",
            ])
        func badFrames(frame: String) async throws {
            let pair = try await pair()
            let alice = try await StarscreamClient.start(pair.alice)
            let bob = try await StarscreamClient.start(pair.bob)
            try await alice.socket.send(text: frame)
            try await alice.send("after", to: "bob")
            #expect(try await bob.socket.nextJSON()["message"] == "after")
        }
    }
}
