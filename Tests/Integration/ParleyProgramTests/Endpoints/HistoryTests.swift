import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Rooms that do not show new members what precedes their joining.
    @Suite(.timeLimit(.minutes(10))) struct HistoryTests {
        private static let word = "mandragora"

        @Test("no path shows a newcomer a word from before their joining, in a single process")
        func serve() async throws {
            let parley = try await ParleyProcess.start()
            try await Search(ports: [parley.port], rest: parley.port).run()
        }

        @Test("no path shows a newcomer a word from before their joining, at another gateway of a cluster")
        func cluster() async throws {
            let files = try TemporaryDirectory()
            let cluster = try await ProgramCluster.start(environment: ["PARLEY_ATTACHMENTS_FOLDER": files.path])
            try await Search(ports: cluster.gateways.map(\.port), rest: cluster.persister.port).run()
            try await cluster.stop()
        }

        /// A room with a word in everything that a room can have, a newcomer, and all calls that could show it.
        private struct Search {
            /// The newcomer's sockets are at the last one.
            let ports: [Int]
            let rest: Int

            func run() async throws {
                let owner = try await TestUser.signUp("owner", port: rest)
                let newcomer = try await TestUser.signUp("newcomer", port: rest)
                // Rooms in which the newcomer is a member for another reason.
                let room = try await Self.make("Closed", "since_joining", owner)
                let author = FileUser(owner, "owner", port: rest)
                let file = try await author.upload(Array("\(HistoryTests.word) file".utf8))
                _ = try await author.send(file, in: room)
                let first = try await Self.say("\(HistoryTests.word) one", in: room, owner)
                let second = try await Self.say("\(HistoryTests.word) two", in: room, owner)
                _ = try await owner.http.send(
                    "PUT", "/v1/threads/\(room)/messages/\(first)/reactions/\(HistoryTests.word)")
                let classic = try await newcomer.socket(at: ports.last ?? rest)
                let live = try await newcomer.socket(at: ports.last ?? rest, subprotocols: ["parley.v1"])
                _ = try await live.nextJSON { $0["type"]?.string == "hello" }

                let joined = try await newcomer.http.post("/v1/threads", json: ["title": "Closed"])
                #expect(joined.status == 200 && !joined.text.contains(HistoryTests.word), "\(joined)")
                let added = try await live.nextJSON { $0["type"]?.string == "thread" }
                let start = try #require(added["thread"]?["visible_from"]?.int)
                #expect(added["thread"]?["seq"]?.int == start - 1)

                // Changes of what the newcomer does not see, and a quote of it.
                let edit = try await owner.http.change(
                    "PATCH", "/v1/threads/\(room)/messages/\(first)", json: ["text": "\(HistoryTests.word) three"])
                #expect(edit.status == 200, "\(edit)")
                _ = try await owner.http.send(
                    "PUT", "/v1/threads/\(room)/messages/\(second)/reactions/\(HistoryTests.word)")
                _ = try await owner.http.send("DELETE", "/v1/threads/\(room)/messages/\(second)")
                let reply = try await owner.http.post(
                    "/v1/threads/\(room)/messages", json: ["text": "answer", "reply_to": .int(start - 2)])
                #expect(reply.status == 201)
                let open = try await author.upload(Array("open".utf8))
                _ = try await author.send(open, in: room)
                _ = try await Self.say("fence", in: room, owner)

                // Live, in order and without gaps.
                var seqs: [Int] = []
                while true {
                    let frame = try await live.nextJSON { $0["seq"] != nil && $0["thread_id"]?.string == room }
                    #expect(!frame.text.contains(HistoryTests.word), "\(frame.text)")
                    seqs.append(frame["seq"]?.int ?? 0)
                    if frame["type"]?.string == "edited" { #expect(frame["text"]?.string == "") }
                    if frame["type"]?.string == "reaction" { #expect(frame["emoji"]?.string == "") }
                    if frame["text"]?.string == "fence" { break }
                }
                #expect(seqs == Array(start..<start + seqs.count))
                var texts: [String] = []
                while texts.last != "fence" { texts.append(try await classic.nextMessage().text) }
                #expect(texts.first == "answer" && !texts.contains { $0.contains(HistoryTests.word) }, "\(texts)")
                try await Self.waitForStored(room, newcomer)
                try await searchREST(room, start, newcomer, [first, second], file: file, open: open)
                try await searchSocket(room, start, newcomer, count: seqs.count)
                try await expectOwner(room, owner)
                try await comeBack(room, owner, newcomer)
            }

            private static func make(_ title: String, _ history: String, _ owner: TestUser) async throws -> String {
                let reply = try await owner.http.post(
                    "/v1/threads", json: ["title": .string(title), "history": .string(history)])
                #expect(try reply.json()["history"]?.string == history, "\(reply)")
                return try #require(try reply.json()["id"]?.string, "\(reply)")
            }

            private static func say(_ text: String, in room: String, _ user: TestUser) async throws -> String {
                let reply = try await user.http.post("/v1/threads/\(room)/messages", json: ["text": .string(text)])
                return try #require(try reply.json()["id"]?.string, "\(reply)")
            }

            /// Waits until the last message is stored.
            private static func waitForStored(_ room: String, _ user: TestUser) async throws {
                #expect(
                    try await eventually { try await user.page(of: room).messages.first?["text"]?.string == "fence" })
            }

            // MARK: REST

            private func searchREST(
                _ room: String, _ start: Int, _ user: TestUser, _ secrets: [String], file: String, open: String
            ) async throws {
                let thread = "/v1/threads/\(room)"
                let messages = [
                    "", "?limit=1", "?before_seq=\(start)", "?before_seq=2", "?before_seq=9999", "?after_seq=0",
                    "?after_seq=1", "?around_seq=2", "?around_seq=\(start)", "?at=0", "?at=9999999999999",
                    "?around_seq=\(start)&limit=200",
                ].map { "\(thread)/messages\($0)" }
                let classic = [
                    "", "&before_seq=\(start)", "&before_seq=9999", "&after_seq=0", "&after=0", "&before=9999999999",
                ].map { "/messaging/load-messages?id=\(room)\($0)" }
                let others = [
                    "/messaging/load-inbox", "/v1/me", "/v1/me/export", "/v1/threads", "/v1/threads?limit=1", thread,
                    "\(thread)/members", "\(thread)/events", "\(thread)/events?after_seq=1", "/v1/threads/joinable",
                    "/v1/search?q=\(HistoryTests.word)", "/v1/search?q=\(HistoryTests.word)&thread=\(room)",
                    "/v1/search?q=m", "/v1/users?prefix=",
                ]
                for path in messages + classic + others {
                    let reply = try await user.http.get(path)
                    #expect(reply.status == 200, "\(path): \(reply)")
                    let text = reply.text
                    #expect(!text.contains(HistoryTests.word), "\(path): \(reply)")
                    for secret in secrets where !path.contains("events") {
                        #expect(!text.contains(secret), "\(path): \(reply)")
                    }
                    let json = try? reply.json()
                    let seqs = (json?["messages"]?.array ?? json?["events"]?.array ?? []).compactMap { $0["seq"]?.int }
                    #expect(seqs.allSatisfy { $0 >= start }, "\(path): \(reply)")
                    if seqs.first == start || seqs.isEmpty {
                        #expect(json?["has_more_before"]?.bool != true, "\(path)")
                    }
                }
                // It is the owner's, and no visible message refers to it.
                #expect(try await user.http.get("/v1/attachments/\(file)").status == 404)
                #expect(try await user.http.get("/v1/attachments/\(open)").status == 200)
                for secret in secrets {
                    let path = "\(thread)/messages/\(secret)"
                    let replies = [
                        try await user.http.change("PATCH", path, json: ["text": "mine"]),
                        try await user.http.send("DELETE", path),
                        try await user.http.send("PUT", "\(path)/reactions/x"),
                    ]
                    #expect(replies.map(\.status) == [404, 404, 404])
                }
                _ = try await user.http.change("PUT", "\(thread)/read", json: ["seq": 0])
                // The answer, the file and the fence.
                #expect(try await user.unread(in: room) == 3)
            }

            // MARK: Sockets

            private func searchSocket(_ room: String, _ start: Int, _ user: TestUser, count: Int) async throws {
                let socket = try await user.socket(at: ports.last ?? rest, subprotocols: ["parley.v1"])
                let hello = try await socket.nextJSON { $0["type"]?.string == "hello" }
                #expect(!hello.text.contains(HistoryTests.word))
                let thread = try #require(hello["threads"]?.array?.first { $0["id"]?.string == room })
                #expect(thread["visible_from"]?.int == start && thread["unread"]?.int == 3)
                let epoch = try #require(thread["epoch"]?.string)
                try await socket.send(
                    json: ["resume": ["threads": [room: ["epoch": .string(epoch), "seq": 1]]], "ref": 1])
                var replayed: [Int] = []
                while true {
                    let frame = try await socket.nextJSON()
                    #expect(!frame.text.contains(HistoryTests.word), "\(frame.text)")
                    if frame["type"]?.string == "resumed" {
                        let state = try #require(frame["threads"]?[room])
                        #expect(state["state"]?.string == "replayed" && state["from"]?.int == 2)
                        break
                    }
                    if let seq = frame["seq"]?.int { replayed.append(seq) }
                }
                #expect(replayed == Array(start..<start + count))
                let requests: [JSONValue] = [
                    ["id": .string(room)], ["id": .string(room), "before": .int(start)],
                    ["id": .string(room), "after": 0, "limit": 200], ["id": .string(room), "before": 3, "after": 1],
                    ["id": .string(room), "after": 1, "limit": 1],
                ]
                for (ref, request) in requests.enumerated() {
                    try await socket.send(json: ["history": request, "ref": .int(ref + 2)])
                    let page = try await socket.nextJSON { $0["ref"]?.int == ref + 2 }
                    #expect(page["type"]?.string == "page" && !page.text.contains(HistoryTests.word), "\(page.text)")
                    let seqs = page["events"]?.array?.compactMap { $0["seq"]?.int } ?? []
                    #expect(seqs.allSatisfy { $0 >= start } && page["has_more_before"]?.bool == false, "\(page.text)")
                }
            }

            /// The owner sees everything.
            private func expectOwner(_ room: String, _ owner: TestUser) async throws {
                let reply = try await owner.http.get("/v1/threads/\(room)/messages?limit=200")
                #expect(reply.text.contains("\(HistoryTests.word) three"))
                #expect(try await owner.http.get("/v1/threads/\(room)").json()["visible_from"] == nil)
            }

            /// A user who has left and returned sees less than before, and with another history of the room more.
            private func comeBack(_ room: String, _ owner: TestUser, _ user: TestUser) async throws {
                let own = "/v1/threads/\(room)/members/\(user.id)"
                #expect(try await user.http.send("DELETE", own).status == 204)
                _ = try await Self.say("\(HistoryTests.word) between", in: room, owner)
                let back = try await owner.http.post("/v1/threads/\(room)/members", json: ["user": .string(user.name)])
                #expect(back.status == 201)
                let last = try await Self.say("last", in: room, owner)
                #expect(
                    try await eventually { try await user.page(of: room).messages.first?["id"]?.string == last })
                #expect(try await user.history(of: room).map { $0["text"]?.string } == ["last"])
                let change = try await owner.http.change("PATCH", "/v1/threads/\(room)", json: ["history": "all"])
                #expect(try change.json()["history"]?.string == "all", "\(change)")
                #expect(try await user.history(of: room).map { $0["text"]?.string } == ["last"])
                #expect(try await user.http.send("DELETE", own).status == 204)
                _ = try await user.join("Closed")
                #expect(
                    try await eventually {
                        try await user.http.get("/v1/threads/\(room)/messages?limit=200").text
                            .contains(HistoryTests.word)
                    })
            }
        }
    }
}

extension TestUser {
    /// A socket at another process than that of `http`.
    fileprivate func socket(at port: Int, subprotocols: [String] = []) async throws -> TestSocket {
        try await TestSocket.connect(port: port, headers: cookieHeader, subprotocols: subprotocols)
    }
}

extension HTTPClient {
    fileprivate func change(_ method: String, _ target: String, json: JSONValue) async throws -> HTTPReply {
        try await send(
            method, target, headers: [("Content-Type", "application/json")], body: Array(json.text.utf8))
    }
}
