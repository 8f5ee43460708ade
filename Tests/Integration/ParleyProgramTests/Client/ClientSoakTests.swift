import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Random lives of a client on a real server: cuts, deaf networks, its own death, the server's; by seed.
    ///
    /// `PARLEY_SOAK_SEEDS=1000` runs that many. Each has a room of its own, on a server for fifty of them.
    @Suite struct ClientSoakTests {
        static let seeds = ProcessInfo.processInfo.environment["PARLEY_SOAK_SEEDS"].flatMap { UInt64($0) } ?? 4
        static let batches = stride(from: 1, through: seeds, by: 50).map { $0...min($0 + 49, seeds) }

        @Test(
            "whatever happens, what the client shows equals the history, and each send is there once and in order",
            arguments: batches)
        func lives(_ seeds: ClosedRange<UInt64>) async throws {
            let server = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let proxy = try await TCPProxy.start(to: server.port)
            let alice = try await ClientPerson.signUp("alice", port: server.port, through: proxy.port)
            let bob = try await TestUser.signUp("bob", port: server.port)
            for seed in seeds {
                var life = Life(seed: seed, server: server, proxy: proxy, alice: alice, bob: bob)
                try await life.run()
            }
        }
    }

    private struct Life {
        let seed: UInt64
        let server: ParleyProcess
        let proxy: TCPProxy
        let alice: ClientPerson
        let bob: TestUser
        var random: SeededGenerator
        var texts: [String] = []
        /// The texts of messages with a file.
        var withFiles: Set<String> = []
        var room: ChatThread.ID = ""

        init(seed: UInt64, server: ParleyProcess, proxy: TCPProxy, alice: ClientPerson, bob: TestUser) {
            (self.seed, self.server, self.proxy, self.alice, self.bob) = (seed, server, proxy, alice, bob)
            random = SeededGenerator(seed)
        }

        mutating func run() async throws {
            var client = try alice.open(seed: seed)
            try await client.connect()
            room = try await client.joinRoom(title: "Room \(seed)")
            _ = try await bob.join("Room \(seed)")
            for _ in 0..<25 {
                switch Int.random(in: 0..<20, using: &random) {
                case 0: try await sendFile(client)
                case 1..<8:
                    texts.append("\(texts.count)")
                    try await client.send(texts.last ?? "", to: room)
                case 8..<11: try? await post()
                case 11..<13: try await change(client)
                case 13: proxy.become(.cut)
                case 14: proxy.become(.deaf)
                case 15, 16: proxy.become(.normal)
                case 17:
                    // The process dies: nothing is written when a client is shut down.
                    await client.shutDown()
                    client = try alice.open(seed: seed)
                    await client.start()
                case 18 where seed.isMultiple(of: 10): try await server.restart()
                default: try await Task.sleep(for: .milliseconds(Int.random(in: 1...60, using: &random)))
                }
            }
            try await check(client)
            await client.shutDown()
        }

        private mutating func sendFile(_ client: ChatClient) async throws {
            let text = "\(texts.count)"
            texts.append(text)
            withFiles.insert(text)
            let size = Int.random(in: 1...600_000, using: &random)
            let file = LocalFile(.bytes(random.bytes(size)), name: text, mediaType: "application/octet-stream")
            try await client.send(ChatDraft(text, files: [file]), to: room)
        }

        private func post() async throws {
            _ = try await bob.http.send(
                "POST", "/v1/threads/\(room)/messages", headers: [("Content-Type", "application/json")],
                body: Array(#"{"text":"bob"}"#.utf8))
        }

        /// The user changes one of the messages that are shown.
        private mutating func change(_ client: ChatClient) async throws {
            let own = await client.messages(in: room).current().items.filter { $0.senderName == "alice" }
            guard let message = own.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: try await client.edit(message.id, in: room, text: message.text + "!")
            default: try await client.react("👍", isOn: Bool.random(using: &random), to: message.id, in: room)
            }
        }

        private func check(_ client: ChatClient) async throws {
            // A deaf connection is noticed after half a minute; a cut one at once.
            proxy.become(.cut)
            proxy.become(.normal)
            await client.networkChanged()
            let isSent = try await eventually(within: .seconds(60)) { await client.unconfirmedCount == 0 }
            let unconfirmed = await client.messages(in: room).current().items
                .filter { $0.state != .stored || $0.pendingChange != nil }
            try #require(isSent, "seed \(seed): unconfirmed are \(unconfirmed)")
            var history: [(text: String, sender: String)] = []
            let messages = await client.messages(in: room)
            let isEqual = try await eventually(within: .seconds(20)) {
                history = try await bob.history(of: room.rawValue).reversed().map {
                    ($0["text"]?.string ?? "", $0["sender_name"]?.string ?? "")
                }
                let shown = await messages.current().items
                return shown.map(\.text) == history.map(\.text) && shown.allSatisfy { $0.state == .stored }
            }
            let shown = await messages.current().items.map(\.text)
            #expect(isEqual, "seed \(seed): shown \(shown), stored \(history)")
            let own = history.filter { $0.sender == "alice" }.map { $0.text.replacing("!", with: "") }
            #expect(own == texts, "seed \(seed)")
            let files = await messages.current().items.filter { $0.parts.first?.file?.attachmentID != nil }
            #expect(Set(files.map { $0.text.replacing("!", with: "") }) == withFiles, "seed \(seed)")
        }
    }
}
