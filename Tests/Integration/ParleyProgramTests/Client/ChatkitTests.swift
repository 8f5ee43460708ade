import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

extension ProgramTests {
    /// What people had who used Chatkit: a token provider of their own back end, rooms to join, messages of several
    /// parts, and sends that are tried again without doubles.
    @Suite struct ChatkitTests {
        private static let key = "a-shared-secret-of-enough-bytes-for-hs256"

        /// A back end that gives out tokens; counts them. Guarded by a mutex.
        private final class TokenProvider: Sendable {
            let user: String
            private let count = Mutex(0)

            init(_ user: String) { self.user = user }

            var given: Int { count.withLock { $0 } }

            func token() -> ChatCredentials {
                count.withLock { $0 += 1 }
                let claims: JSONValue = ["sub": .string(user), "exp": TokenSigner.time(60)]
                return .bearer(TokenSigner.hs256(claims, key: ChatkitTests.key))
            }
        }

        private func client(_ user: String, port: Int) throws -> (ChatClient, TokenProvider) {
            let provider = TokenProvider(user)
            let server = try #require(URL(string: "http://127.0.0.1:\(port)"))
            var configuration = ChatConfiguration(server: server, storage: .inMemory) { _ in provider.token() }
            configuration.reconnect.base = .milliseconds(100)
            return (try ChatClient(configuration: configuration), provider)
        }

        @Test("rooms, joinable rooms, parts, tokens, and a lost answer that doubles nothing")
        func all() async throws {
            let server = try await ParleyProcess.start(environment: [
                "PARLEY_JWT_HS256_KEY": Self.key, "PARLEY_JWT_CREATE_USERS": "true",
            ])
            let proxy = try await TCPProxy.start(to: server.port)
            let (ann, provider) = try client("ann", port: proxy.port)
            let (ben, _) = try client("ben", port: server.port)
            try await ann.connect()
            try await ben.connect()
            let tea = try await ann.joinRoom(title: "Tea")
            #expect(try await ben.joinableRooms(prefix: "T").map(\.id) == [tea])
            #expect(try await ben.joinRoom(title: "Tea") == tea)
            #expect(try await ben.joinableRooms().isEmpty)

            let file = ChatFile(url: "https://files.example/1.jpg", mediaType: "image/jpeg", name: "1.jpg")
            let parts: [ChatPart] = [.text("from the tower"), .photo(file)]
            let shown = await ben.messages(in: tea)
            try await ann.send(ChatDraft("Look", parts: parts), to: tea)
            let received = try await shown.first { $0.items.count == 1 }
            #expect(received.items.first?.parts == parts)

            // Cuts while sends are under way: some answers are lost, and their messages sent again.
            for number in 0..<12 {
                try await ann.send("\(number)", to: tea)
                if number % 4 == 1 {
                    proxy.become(.cut)
                    #expect(try await eventually { await ann.state != .connected })
                    proxy.become(.normal)
                    #expect(try await eventually(within: .seconds(20)) { await ann.state == .connected })
                }
            }
            #expect(try await eventually(within: .seconds(20)) { await ann.unconfirmedCount == 0 })
            let all = try await shown.first { $0.items.count >= 13 }
            #expect(all.items.map(\.text) == ["Look"] + (0..<12).map { "\($0)" })
            // Tickets of the socket spare the provider; a fresh token goes to the open socket.
            let given = provider.given
            try await ann.refreshCredentials()
            #expect(provider.given == given + 1)
            #expect(await ann.state == .connected)
        }
    }
}
