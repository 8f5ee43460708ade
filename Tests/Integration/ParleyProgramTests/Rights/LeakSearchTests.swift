import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// A search of a cluster for what users may not know, by each kind of outsider: calls, commands, and what sockets receive
    /// without a command. `LeakTests` also compares the statements, and `HistoryTests` searches as a newcomer to a room that
    /// does not show its history.
    @Suite(.timeLimit(.minutes(5))) struct LeakSearchTests {
        private static let missing = LeakStage.Hidden(
            id: "01980000000070008000000000000001", message: "01980000000070008000000000000002")

        @Test(
            "no call, command or socket shows an outsider anything of a private room, a group or a direct thread of others"
        )
        func search() async throws {
            let files = try TemporaryDirectory()
            let cluster = try await ProgramCluster.start(
                environment: LeakStage.environment.merging(["PARLEY_ATTACHMENTS_FOLDER": files.path]) { $1 })
            let stage = try await LeakStage(port: cluster.persister.port)
            let ports = cluster.gateways.map(\.port)
            try await listen(stage, ports)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, name) in LeakStage.outsiders.enumerated() {
                    let user = try #require(stage.users[name])
                    group.addTask {
                        try await compareCalls(stage, user)
                        try await compareCommands(stage, user, port: ports[index % ports.count])
                        try await searchLists(stage, user)
                    }
                }
                try await group.waitForAll()
            }
            let left = try await stage.member.call("GET", "/v1/threads/\(stage.room.id)/messages", nil).json()
            let texts = left["messages"]?.array?.compactMap { $0["text"]?.string } ?? []
            #expect(texts.contains("\(LeakStage.word) text"), "\(left.text)")
            try await cluster.stop()
        }

        /// The hidden threads that a user asks about, with threads of the kind that do not exist.
        private func pairs(_ stage: LeakStage, _ user: TestUser) -> [(hidden: LeakStage.Hidden, none: LeakStage.Hidden)]
        {
            let direct = LeakStage.Hidden(
                id: stage.direct.id.replacing(stage.owner.id, with: stage.member.id), message: Self.missing.message)
            return [(stage.room, Self.missing)]
                + (["stranger", "banned"].contains(user.name) ? [(stage.group, Self.missing)] : [])
                + (["stranger", "blocked"].contains(user.name) ? [(stage.direct, direct)] : [])
        }

        // MARK: Calls

        private func compareCalls(_ stage: LeakStage, _ user: TestUser) async throws {
            if user.name == "requesting" {
                try await LeakStage.check(user.call("POST", "/v1/threads/\(Self.missing.id)/requests", [:]))
            }
            for (hidden, none) in pairs(stage, user) {
                for call in HiddenCall.all where user.name != "invited" || !call.isOfInvitation {
                    let answer = try await stage.answer(to: call, about: hidden, by: user)
                    #expect(
                        answer == (try await stage.answer(to: call, about: none, by: user)), "\(user.name): \(call)")
                    #expect(!answer.contains(LeakStage.word), "\(user.name): \(call)")
                }
            }
        }

        private func searchLists(_ stage: LeakStage, _ user: TestUser) async throws {
            let hall = "/v1/threads/\(stage.hall)"
            let paths = [
                "/v1/threads", "/v1/threads/joinable", "/v1/threads/joinable?q=zyx", "/messaging/load-inbox",
                "/v1/search?q=\(LeakStage.word)", "/v1/me", "/v1/me/export", "/v1/me/blocks", "/v1/me/sessions",
                "/v1/me/notifications", "/v1/users?q=member", "/v1/users/owner", "/v1/users/member",
                "/v1/attachments", "/v1/attachments/\(stage.file)", hall, hall + "/members", hall + "/messages",
                hall + "/events", "/healthz", "/readyz",
            ]
            for path in paths {
                let reply = try await user.http.get(path)
                for secret in stage.secrets { #expect(!reply.text.contains(secret), "\(user.name): \(path)") }
            }
        }

        // MARK: Sockets

        private func greeted(_ user: TestUser, _ port: Int) async throws -> TestSocket {
            let socket = try await TestSocket.connect(
                port: port, headers: user.cookieHeader, subprotocols: ["parley.v1"])
            _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
            return socket
        }

        /// The answer to a command.
        private func answer(
            to command: JSONValue, about thread: LeakStage.Hidden, _ stage: LeakStage, _ user: TestUser,
            _ socket: TestSocket
        ) async throws -> String {
            guard case .object(var members) = try JSONValue(parsing: stage.fill(command.text, thread, user)) else {
                return ""
            }
            members["ref"] = 1
            try await socket.send(json: .object(members))
            let reply = try await socket.nextJSON { $0["ref"]?.int == 1 }
            return LeakStage.plain(reply.text, thread)
        }

        private func compareCommands(_ stage: LeakStage, _ user: TestUser, port: Int) async throws {
            for (hidden, none) in pairs(stage, user) {
                let socket = try await greeted(user, port)
                for command in HiddenCall.commands {
                    let answer = try await answer(to: command, about: hidden, stage, user, socket)
                    let other = try await self.answer(to: command, about: none, stage, user, socket)
                    #expect(answer == other, "\(user.name): \(command.text)")
                }
                await socket.drop()
                let resume: JSONValue = ["resume": ["threads": ["{thread}": ["epoch": "", "seq": 0]]]]
                var answers: Set<String> = []
                for thread in [hidden, none] {
                    let socket = try await greeted(user, port)
                    answers.insert(try await answer(to: resume, about: thread, stage, user, socket))
                    await socket.drop()
                }
                #expect(answers.count == 1, "\(user.name): \(answers)")
            }
        }

        /// What sockets receive while much happens in the hidden threads.
        private func listen(_ stage: LeakStage, _ ports: [Int]) async throws {
            var sockets: [(name: String, v1: TestSocket, classic: TestSocket)] = []
            let watch: JSONValue = ["ref": 1, "watch": ["users": [.string(stage.owner.id), .string(stage.member.id)]]]
            for (index, name) in LeakStage.outsiders.enumerated() {
                let user = try #require(stage.users[name])
                let port = ports[index % ports.count]
                let socket = try await greeted(user, port)
                try await socket.send(json: watch)
                _ = try await socket.nextJSON { $0["ref"]?.int == 1 }
                sockets.append((name, socket, try await TestSocket.connect(port: port, headers: user.cookieHeader)))
            }
            let owner = try await greeted(stage.owner, ports[0])
            let member = try await greeted(stage.member, ports[1])
            for (name, socket, _) in sockets where !["blocked", "blocking"].contains(name) {
                let seen = try await socket.nextJSON { $0["online"]?.bool == true }
                #expect(seen["user_id"]?.string == stage.owner.id, "\(name)")
            }
            for thread in stage.hidden { try await stir(thread, stage, owner, member) }
            let word = JSONValue.string(LeakStage.word)
            let room = "/v1/threads/\(stage.room.id)"
            try await LeakStage.check(
                stage.owner.call("PATCH", room, ["title": word, "topic": "other", "visibility": "unlisted"]))
            try await LeakStage.check(stage.owner.call("PATCH", room, ["topic": word, "visibility": "private"]))
            try await LeakStage.check(stage.owner.call("PUT", room + "/sanctions/member/mute", ["reason": word]))
            try await LeakStage.check(stage.member.call("PATCH", "/v1/me", ["display_name": "A member"]))
            try await LeakStage.check(stage.owner.call("PATCH", "/v1/me", ["display_name": "The owner"]))
            try await send(["typing": ["id": .string(stage.hall), "on": true]], owner)
            for text in ["one", "fence"] {
                try await send(["message": ["id": .string(stage.hall), "text": .string(text)]], owner)
            }
            for (name, socket, classic) in sockets {
                _ = try await socket.nextJSON { $0["text"]?.string == "fence" }
                while try await classic.nextMessage().text != "fence" {}
                let received = socket.received + classic.received
                for secret in stage.secrets + ["A member"] {
                    #expect(!received.contains { $0.contains(secret) }, "\(name)")
                }
                let hides = ["blocked", "blocking"].contains(name)
                #expect(received.contains { $0.contains("\"typing\"") } == !hides, "\(name)")
                #expect(received.contains { $0.contains("\"online\":true") } == !hides, "\(name)")
                await socket.drop()
                await classic.drop()
            }
            await owner.drop()
            await member.drop()
        }

        /// Does everything in a thread that its members are told.
        private func stir(
            _ thread: LeakStage.Hidden, _ stage: LeakStage, _ owner: TestSocket, _ member: TestSocket
        ) async throws {
            let (id, word) = (JSONValue.string(thread.id), JSONValue.string(LeakStage.word))
            let sent = try await send(["message": ["id": id, "text": word]], owner)
            let message = try #require(sent["id"])
            try await send(["typing": ["id": id, "on": true]], owner)
            try await send(["typing": ["id": id, "on": true]], member)
            try await send(["edit": ["id": id, "message_id": message, "text": .string(LeakStage.word + " 2")]], owner)
            try await send(["react": ["id": id, "message_id": message, "emoji": word, "on": true]], member)
            try await send(["read": ["id": id]], member)
            try await send(["delete": ["id": id, "message_id": message]], owner)
        }

        /// Sends a command that is carried out.
        @discardableResult
        private func send(_ command: JSONValue, _ socket: TestSocket) async throws -> JSONValue {
            guard case .object(var members) = command else { return .null }
            members["ref"] = 1
            try await socket.send(json: .object(members))
            let reply = try await socket.nextJSON { $0["ref"]?.int == 1 }
            #expect(reply["type"]?.string == "ack", "\(reply.text)")
            return reply
        }
    }
}
