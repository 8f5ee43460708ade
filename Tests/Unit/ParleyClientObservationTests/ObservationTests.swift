import Foundation
import Observation
import ParleyClient
import ParleyClientObservation
import ParleyClientTesting
import Testing

/// The observable models, on the fake client and on a real client with the fake server.
@Suite(.timeLimit(.minutes(1))) @MainActor struct ObservationTests {
    let chat = FakeChatClient(threads: [ChatThread(id: "t1", title: "Garden", unread: 2)])

    /// Returns when a value that a view would show is as wanted.
    private func observed(
        at location: SourceLocation = #_sourceLocation, _ isWanted: @escaping @MainActor () -> Bool
    ) async {
        while true {
            // The time limit of the test ends the wait.
            if Task.isCancelled {
                Issue.record("it was not observed", sourceLocation: location)
                return
            }
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            let isDone = withObservationTracking {
                isWanted()
            } onChange: {
                change.yield()
                change.finish()
            }
            if isDone { return }
            for await _ in changes {}
        }
    }

    @Test("an inbox shows threads, the user and the connection, and notifies views of changes")
    func inbox() async {
        let inbox = ChatInbox(chat)
        let following = Task { await inbox.follow() }
        await observed { inbox.threads.map(\.title) == ["Garden"] && inbox.state == .connected }
        #expect(inbox.unread == 2 && inbox.user?.username == "ada")
        chat.shownThreads.value.append(ChatThread(id: "t2", title: "Shed", unread: 1))
        await observed { inbox.unread == 3 }
        chat.connection.value = .offline(until: nil)
        await observed { inbox.state == .offline(until: nil) }
        following.cancel()
        await following.value
    }

    @Test("a conversation sends what the user writes, and keeps it after an error")
    func writing() async {
        let conversation = ChatConversation("t1", in: chat)
        let following = Task { await conversation.follow() }
        conversation.text = "Hello"
        await conversation.send()
        await observed { conversation.messages.map(\.text) == ["Hello"] }
        #expect(conversation.text.isEmpty && conversation.error == nil)

        chat.failure.value = .offline
        conversation.text = "lost?"
        await conversation.send()
        #expect(conversation.text == "lost?" && conversation.error as? ChatError == .offline)
        conversation.dismissError()
        chat.failure.value = .shutDown
        await conversation.send()
        #expect(conversation.error == nil && conversation.text == "lost?")
        chat.failure.value = nil
        guard let hello = conversation.messages.first else { return }
        await conversation.toggle("👍", on: hello)
        await observed { conversation.messages.first?.reactions.first?.emoji == "👍" }
        if let now = conversation.messages.first { await conversation.toggle("👍", on: now) }
        await observed { conversation.messages.first?.reactions.isEmpty == true }
        await conversation.edit(hello, text: "Hello!")
        await conversation.delete(hello)
        await observed { conversation.messages.first?.isDeleted == true }
        await conversation.typed()
        #expect(chat.calls.contains(.typing(true, "t1")))
        following.cancel()
        await following.value
    }

    @Test("a window of a real client grows, jumps and follows")
    func window() async throws {
        let server = FakeChatServer()
        let (ada, bob) = (server.addUser("ada"), server.addUser("bob"))
        let garden = server.addRoom("Garden", members: [ada, bob])
        for number in 1...60 { server.post("\(number)", from: bob, in: garden) }
        var configuration = server.configuration(for: ada)
        configuration.pageSize = 10
        let client = try ChatClient(configuration: configuration)
        let inbox = ChatInbox(client)
        let conversation = ChatConversation(garden, in: client)
        let following = [Task { await inbox.follow() }, Task { await conversation.follow() }]
        await observed { conversation.messages.last?.text == "60" && conversation.messages.count >= 10 }
        let count = conversation.messages.count
        await conversation.loadOlder()
        await observed { conversation.messages.count > count }
        // Two events of members precede the messages.
        await conversation.jump(toSeq: 7)
        await observed { conversation.hasNewer && conversation.messages.contains { $0.seq == 7 } }
        await conversation.jump(toSeq: 4_000)
        #expect(conversation.error != nil && !conversation.isLoading)
        await conversation.jumpToNewest()
        await observed { !conversation.hasNewer && conversation.messages.last?.text == "60" }
        await observed { inbox.unread == 0 && inbox.threads.count == 1 }
        await client.shutDown()
        for task in following { await task.value }
    }
}
