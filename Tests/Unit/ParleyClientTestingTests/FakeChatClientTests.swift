import Foundation
import ParleyClient
import ParleyClientTesting
import Testing

/// The fake client, and an app's own implementation of the same protocol.
@Suite(.timeLimit(.minutes(1))) struct FakeChatClientTests {
    let chat = FakeChatClient(threads: [ChatThread(id: "t1", title: "Garden", unread: 2, headSeq: 7)])

    @Test("content that a preview sets is shown, and changes of it follow")
    func content() async throws {
        chat.shownMessages.value["t1"] = [
            ChatMessage(id: "m1", threadID: "t1", seq: 7, senderID: "u2", senderName: "bob", text: "Hi")
        ]
        let service: any ChatService = chat
        #expect(await service.user?.username == "ada")
        #expect(await service.thread("t1")?.unread == 2)
        #expect(await service.states.first { _ in true } == .connected)
        var updates = await service.messages(in: "t1").makeAsyncIterator()
        #expect(await updates.next()?.items.map(\.text) == ["Hi"])
        try await service.send("Hello", to: "t1")
        let update = await updates.next()
        #expect(update?.items.map(\.text) == ["Hi", "Hello"] && update?.changes.inserted == [1])
        #expect(chat.calls == [.send(ChatDraft("Hello"), "t1")])
    }

    @Test("edits, deletions, reactions, read marks and joins take effect")
    func changes() async throws {
        let sent = try await chat.send("Hello", to: "t1")
        try await chat.edit(sent.id, in: "t1", text: "Hello!")
        try await chat.react("👍", isOn: true, to: sent.id, in: "t1")
        #expect(chat.shownMessages.value["t1"]?.first?.text == "Hello!")
        #expect(chat.shownMessages.value["t1"]?.first?.reactions.map(\.count) == [1])
        try await chat.react("👍", isOn: false, to: sent.id, in: "t1")
        #expect(chat.shownMessages.value["t1"]?.first?.reactions.isEmpty == true)
        try await chat.delete(sent.id, in: "t1")
        #expect(chat.shownMessages.value["t1"]?.first?.isRemoved == true)
        try await chat.markRead("t1", upTo: nil)
        #expect(chat.shownThreads.value.first?.unread == 0 && chat.shownThreads.value.first?.readSeq == 7)
        let shed = try await chat.joinRoom(title: "Shed")
        #expect(try await chat.joinRoom(title: "Shed") == shed)
        try await chat.discard(sent.id, in: "t1")
        #expect(chat.shownMessages.value["t1"] == [])
    }

    @Test("a failure is thrown, and the call is recorded")
    func failure() async throws {
        chat.failure.value = .offline
        await #expect(throws: ChatError.offline) { try await chat.send("Hello", to: "t1") }
        #expect(chat.calls.count == 1 && chat.shownMessages.value.isEmpty)
        chat.failure.value = nil
        let file = ChatFile(url: "/v1/attachments/f1", mediaType: "image/png")
        await #expect(throws: ChatError.self) { try await chat.data(of: file, limit: 100) }
        chat.files.value[file.url] = Data([1, 2])
        #expect(try await chat.data(of: file, limit: 100) == Data([1, 2]))
        chat.sentState.value = .pending
        #expect(try await chat.send("later", to: "t1").state == .pending)
    }

    @Test("all models can be made by an app")
    func models() {
        let user = ChatUser(id: "u2", username: "bob")
        let notice = ChatNotice(threadID: "t1", seq: 1, date: .distantPast, kind: .joined(user))
        let message = ChatMessage(
            id: "m1", threadID: "t1", senderID: user.id, senderName: "bob", text: "Hi",
            reactions: [ChatReaction(emoji: "👍", count: 1, users: [user.id])], state: .pending)
        let update = ChatUpdate(items: [message], previous: [ChatMessage](), hasOlder: true, notices: [notice])
        #expect(update.changes == ChatChanges(from: [ChatMessage](), to: [message]))
        let thread = ChatThread(
            id: "t1", title: "Garden", lastMessage: message, typing: [user],
            receipts: [user.id: ReadReceipt(seq: 1, date: .distantPast)], mute: ChatMute(reason: "spam"))
        #expect(thread.kind == .room && ChatMember(user: user, role: .owner).id == user.id)
        let ban = ChatSanction(threadID: "t1", user: user, kind: .ban, since: .distantPast, until: .distantFuture)
        #expect(thread.mute?.until == nil && ban.id.kind == .ban && ban.id.userID == user.id)
        #expect(!ChatPresence(isOnline: false).isOnline && JoinableRoom(id: "t1", title: "Garden").id == "t1")
        #expect(SearchResults(messages: [message]).hasMore == false)
        #expect(UnconfirmedSend(kind: .edit, messageID: "m1", text: "x", failure: .offline).failure == .offline)
        #expect(ChatSession(id: "s1", expires: .distantFuture, isCurrent: true).isCurrent)
        #expect(AttachmentLimits(maximumBytes: 5).types == ["*/*"])
        #expect(ChatDownload(received: 1, total: 2).fraction == 0.5)
    }
}

/// The clock of tests.
@Suite struct ManualChatClockTests {
    @Test("time passes only by advancing, wakes in order, and a cancelled sleep ends")
    func clock() async throws {
        let clock = ManualChatClock(start: Date(timeIntervalSince1970: 100))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.uptime == .milliseconds(1500) && clock.date == Date(timeIntervalSince1970: 101.5))
        try await clock.sleep(until: .seconds(1))
        let sleeper = Task { try await clock.sleep(until: .seconds(10)) }
        await clock.sleeper(within: .seconds(9))
        clock.advance(by: .seconds(9))
        try await sleeper.value
        let cancelled = Task { try await clock.sleep(until: .seconds(1000)) }
        await clock.sleeper(within: .seconds(1000))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleeperCount == 0)
    }
}
