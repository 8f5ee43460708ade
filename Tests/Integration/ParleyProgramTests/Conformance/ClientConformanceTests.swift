import Foundation
import ParleyClient
import ParleyTestSupport
import Synchronization
import Testing

extension ConformanceTests {
    @Suite("ParleyClient against the conformance kit")
    struct ClientConformanceTests {
        @Test("it breaks no rule in any scenario")
        func all() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, name) in try ConformanceRecord.named("Swift").scenarios().enumerated() {
                    // A few at a time: their clocks are real.
                    if index >= 6 { try await group.next() }
                    group.addTask { try await play(name) }
                }
                try await group.waitForAll()
            }
        }

        private func play(_ name: String) async throws {
            let driver = ClientDriver()
            let result = try await KitRun.play(name, with: driver)
            #expect(result["outcome"]?.string == "ok", "\(name): \(KitRun.summary(result))")
            let doubled = driver.doubled
            #expect(doubled.isEmpty, "\(name) shows twice: \(doubled)")
        }
    }
}

/// ParleyClient in this process, with the room open. State is guarded by a mutex.
private final class ClientDriver: KitRun.Driver {
    private struct State {
        var client: ChatClient?
        var room: ChatThread.ID?
        var watching: Task<Void, Never>?
        var newest: ChatMessage.ID?
        /// How often each message was in one snapshot.
        var doubled: Set<String> = []
    }

    private let state = Mutex(State())

    var doubled: Set<String> { state.withLock(\.doubled) }

    func begin(url: String, user: String, password: String) async throws {
        guard let server = URL(string: url) else { return }
        let account = try ChatAccount(server: server)
        let configuration = ChatConfiguration(server: server, storage: .inMemory) { _ in
            try await account.logIn(username: user, password: password)
        }
        let client = try ChatClient(configuration: configuration)
        await client.start()
        guard try await eventually(within: .seconds(20), { await !client.threads().current().isEmpty }),
            let room = await client.threads().current().first?.id
        else { throw TimedOut("the room", after: .seconds(20)) }
        let messages = await client.messages(in: room)
        let watching = Task { [self] in
            for await update in messages {
                let ids = update.items.compactMap(\.clientID)
                let doubled = Set(ids.filter { id in ids.count { $0 == id } > 1 })
                state.withLock { $0.doubled.formUnion(doubled) }
            }
        }
        state.withLock { ($0.client, $0.room, $0.watching) = (client, room, watching) }
    }

    func obey(_ line: String) async throws {
        let (client, room, newest) = state.withLock { ($0.client, $0.room, $0.newest) }
        guard let client, let room else { return }
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch words.first {
        case "/edit": if let newest { try await client.edit(newest, in: room, text: words.last ?? "") }
        case "/read": try await client.markRead(room)
        case "/typing": await client.setTyping(true, in: room)
        default:
            let message = try await client.send(line, to: room)
            state.withLock { $0.newest = message.id }
        }
    }

    func end() async {
        let (client, watching) = state.withLock { ($0.client, $0.watching) }
        watching?.cancel()
        await client?.shutDown()
    }
}
