import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Joining and logging out change live sockets at once.
    @Suite struct MembershipTests {
        @Test("sockets that were open before a join are in at once")
        func liveJoin() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let aliceSocket = try await alice.socket()
            let bobSockets = [try await bob.socket(), try await bob.socket()]
            let thread = try await alice.join("Room")
            try await aliceSocket.say("before", in: thread)
            #expect(try await aliceSocket.nextMessage().text == "before")

            _ = try await bob.join("Room")
            // No wait here: the answer to the join means that the sockets are in.
            try await aliceSocket.say("after", in: thread)
            for socket in bobSockets { #expect(try await socket.nextMessage().text == "after") }
            // And they may send.
            try await bobSockets[0].say("thanks", in: thread)
            #expect(try await bobSockets[1].nextMessage().text == "thanks")
            // A newcomer starts with nothing unread; what came since counts, up to one's own message.
            #expect(try await bob.unread(in: thread) == 0)
        }

        @Test("a newcomer has nothing unread, however much was said before")
        func newcomer() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await alice.socket()
            let thread = try await alice.join("Room")
            for number in 0..<5 { try await socket.say("\(number)", in: thread) }
            for _ in 0..<5 { _ = try await socket.nextMessage() }
            let bob = try await TestUser.signUp("bob", port: parley.port)
            _ = try await bob.join("Room")
            #expect(try await bob.unread(in: thread) == 0)
            // Joining again changes nothing.
            try await socket.say("new", in: thread)
            _ = try await socket.nextMessage()
            _ = try await bob.join("Room")
            #expect(try await bob.unread(in: thread) == 1)
            // The earlier messages are there to read.
            #expect(try await bob.history(of: thread).count == 6)
        }

        @Test("a hundred people who ask for one new title at the same time are in one room")
        func concurrentJoins() async throws {
            let parley = try await ParleyProcess.start()
            let port = parley.port
            let users = try await withThrowingTaskGroup(of: TestUser.self) { group in
                for number in 0..<100 {
                    group.addTask { try await TestUser.signUp("user\(number)", port: port) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let rooms = try await withThrowingTaskGroup(of: String.self) { group in
                for user in users { group.addTask { try await user.join("Race") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(rooms.count == 100)
            #expect(Set(rooms).count == 1)
            // Everybody is a member.
            let socket = try await users[0].socket()
            try await socket.say("hello", in: rooms[0])
            _ = try await socket.nextMessage()
            for user in users.dropFirst() { #expect(try await user.unread(in: rooms[0]) == 1) }
        }

        @Test("logging out closes that session's sockets with 4001 at once, and no others")
        func logOut() async throws {
            let parley = try await ParleyProcess.start()
            let phone = try await TestUser.signUp("alice", port: parley.port)
            let laptop = try await TestUser.logIn("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let thread = try await phone.join("Room")
            _ = try await bob.join("Room")
            let phoneSockets = [try await phone.socket(), try await phone.socket(subprotocols: ["parley.direct"])]
            let laptopSocket = try await laptop.socket()
            let bobSocket = try await bob.socket()

            try await phone.logOut()
            // The next look at the feed would be up to 10 s later.
            for socket in phoneSockets { #expect(try await socket.closeCode() == 4001) }
            #expect(try await TestSocket.open(port: parley.port, headers: phone.cookieHeader).status == 401)
            #expect(try await phone.http.get("/messaging/load-inbox").status == 401)

            try await laptopSocket.say("still here", in: thread)
            #expect(try await bobSocket.nextMessage().text == "still here")
        }

        @Test("logging out takes the cookie away, and works by POST too")
        func logOutByPost() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let reply = try await alice.http.send("POST", "/auth/logout", body: [])
            #expect(reply.status == 200)
            #expect(reply.cookie("sessionid")?.isEmpty == true)
            #expect(try await alice.http.get("/messaging/load-inbox").status == 401)
        }

        @Test("accounts, sessions and rooms outlive a restart")
        func restart() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let socket = try await alice.socket()
            try await socket.say("remember me", in: thread)
            let message = try await socket.nextMessage()
            #expect(try await parley.terminate() == .exited(0))
            try await parley.restart()
            let again = try await alice.socket()
            #expect(try await alice.history(of: thread).map { $0["id"]?.string } == [message.id])
            try await again.say("still the same thread", in: thread)
            let next = try await again.nextMessage()
            #expect(next.seq > message.seq)
            #expect(next.epoch == message.epoch)
            #expect(next.dateMilliseconds >= message.dateMilliseconds)
        }
    }
}
