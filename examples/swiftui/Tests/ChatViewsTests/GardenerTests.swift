import ParleyClient
import ParleyClientTesting
import Testing

/// Code of an app: it greets everybody who joins a room.
struct Gardener {
    let client: ChatClient
    let room: ChatThread.ID

    func run() async throws {
        var greeted: Set<ChatUser.ID> = []
        for await update in await client.messages(in: room) {
            for case .joined(let user) in update.notices.map(\.kind) where greeted.insert(user.id).inserted {
                guard user.id != (await client.user)?.id else { continue }
                try await client.send("Welcome, \(user.username)!", to: room)
            }
        }
    }
}

/// Tests of an app's own code: a real client, a server in memory, no network and no waiting.
struct GardenerTests {
    @Test("a guest is greeted, also if the server was away when they joined")
    func greets() async throws {
        let server = FakeChatServer()
        let (gardener, guest) = (server.addUser("gardener"), server.addUser("guest"))
        let room = server.addRoom("Garden", members: [gardener])
        let client = try ChatClient(configuration: server.configuration(for: gardener))
        await client.start()
        _ = await client.states.first { $0 == .connected }
        let running = Task { try await Gardener(client: client, room: room).run() }

        server.goOffline()
        _ = await client.states.first { if case .offline(.some) = $0 { true } else { false } }
        server.setRole(.member, of: guest, in: room)
        server.goOnline()
        await client.networkChanged()

        for await update in await client.messages(in: room) where update.items.last?.state == .stored { break }
        #expect(server.messages(in: room).map(\.text) == ["Welcome, guest!"])
        await client.shutDown()
        try await running.value
    }
}
