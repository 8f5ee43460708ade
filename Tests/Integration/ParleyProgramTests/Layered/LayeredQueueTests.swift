import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The layered chat core of examples/swift/layered, which is compiled with these tests, on a real server.
    @Suite struct LayeredQueueTests {
        /// What a listener has heard last.
        @MainActor private final class Heard<Value: Sendable> {
            var value: Value?
        }

        @Test("listeners, paging, status, receipts with time, typing, media and deletions")
        @MainActor func conversation() async throws {
            let server = try await ParleyProcess.start()
            let alice = try await ClientPerson.signUp("alice", port: server.port).open()
            let bob = try await ClientPerson.signUp("bob", port: server.port).open()
            try await alice.connect()
            try await bob.connect()
            let garden = try await alice.joinRoom(title: "Garden")
            _ = try await bob.joinRoom(title: "Garden")
            let (hers, his) = (ChatCore(client: alice), ChatCore(client: bob))

            let (inbox, shown, status) = (
                Heard<[ChatThread]>(), Heard<ConversationChange>(), Heard<[ChatUser.ID: ChatPresence]>()
            )
            let bobID = try #require(await bob.user?.id)
            let listeners = [
                his.listenToConversations { inbox.value = $0 }, his.listenToMessages(in: garden) { shown.value = $0 },
                hers.listenToOnlineStatus(of: [bobID]) { status.value = $0 },
            ]
            for number in 0..<70 { _ = try await hers.send("\(number)", to: garden) }
            #expect(try await eventually { shown.value?.messages.last?.text == "69" })
            #expect(inbox.value?.first?.title == "Garden")
            #expect(try await eventually { status.value?[bobID]?.isOnline == true })

            // A new listener begins with a page, and gets the one before on request.
            let late = Heard<ConversationChange>()
            let second = ChatCore(client: try await ClientPerson.logIn("bob", port: server.port).connected())
            let lateListener = second.listenToMessages(in: garden) { late.value = $0 }
            #expect(try await eventually { late.value?.messages.count == 50 && late.value?.hasMore == true })
            try await second.loadMore(in: garden)
            #expect(try await eventually { late.value?.messages.count == 70 && late.value?.hasMore == false })

            let folder = try TemporaryDirectory()
            let picture = Data([0xFF, 0xD8, 0xFF, 0xE0] + (0..<200))
            try picture.write(to: URL(filePath: folder.path + "/1.jpg"))
            let video = ChatFile(
                url: "https://files.example/1.mp4", mediaType: "video/mp4", durationMilliseconds: 12_000)
            let place = ChatLocation(latitude: 47.37, longitude: 8.54)
            let first = try await hers.sendPhoto(at: folder.path + "/1.jpg", to: garden)
            _ = try await hers.sendVideo(video, to: garden)
            _ = try await hers.sendLocation(place, to: garden)
            #expect(
                try await eventually {
                    shown.value?.messages.suffix(2).map(\.parts) == [[.video(video)], [.location(place)]]
                })
            let received = try #require(shown.value?.messages.suffix(3).first?.parts.first)
            guard case .photo(let photo) = received else {
                Issue.record("not a photo: \(received)")
                return
            }
            #expect(try await his.photo(photo) == picture)

            let newest = try #require(shown.value?.messages.last)
            try await his.updateReadReceipt(of: newest)
            #expect(try await eventually { await hers.readReceipts(in: garden)[bobID]?.seq == newest.seq })
            let date = try #require(await hers.readReceipts(in: garden)[bobID]?.date)
            #expect(abs(date.timeIntervalSinceNow) < 60)
            await hers.setTyping(true, in: garden)
            #expect(try await eventually { inbox.value?.first?.typing.map(\.username) == ["alice"] })
            try await hers.delete(first)
            #expect(
                try await eventually {
                    shown.value?.messages.contains { $0.clientID == first.id.rawValue && $0.isDeleted } == true
                })
            for listener in listeners + [lateListener] { listener.cancel() }
        }

        @Test("what is unsent survives the process, and is sent when the server is back")
        @MainActor func unsent() async throws {
            let server = try await ParleyProcess.start()
            let person = try await ClientPerson.signUp("alice", port: server.port)
            let client = try await person.connected()
            let garden = try await client.joinRoom(title: "Garden")
            let core = ChatCore(client: client)
            try await server.kill()
            for text in ["one", "two"] { _ = try await core.send(text, to: garden) }
            #expect(await core.unsent(in: garden).map(\.state) == [.pending, .pending])
            await client.shutDown()

            let next = try person.open()
            let again = ChatCore(client: next)
            #expect(await again.unsent(in: garden).map(\.text) == ["one", "two"])
            try await server.restart()
            try await next.connect()
            #expect(try await eventually { await again.unsent(in: garden).isEmpty })
            let reader = try await TestUser.logIn("alice", port: server.port)
            #expect(
                try await reader.history(of: garden.rawValue).reversed().map { $0["text"]?.string } == ["one", "two"])
        }
    }
}
