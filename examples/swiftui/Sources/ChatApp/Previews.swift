import ChatViews
import ParleyClient
import ParleyClientTesting
import SwiftUI

/// A room with some messages, as previews show it.
enum Sample {
    static let garden = ChatThread(id: "t1", title: "Garden", unread: 2, headSeq: 3)

    static func chat() -> FakeChatClient {
        let chat = FakeChatClient(threads: [garden, ChatThread(id: "t2", title: "bob", kind: .direct)])
        chat.shownMessages.value[garden.id] = [
            ChatMessage(
                id: "m1", threadID: garden.id, seq: 1, senderID: "u2", senderName: "bob", text: "The beans are up."),
            ChatMessage(
                id: "m2", threadID: garden.id, seq: 2, senderID: "u1", senderName: "ada", text: "And the peas?",
                reactions: [ChatReaction(emoji: "🌱", count: 2, users: ["u2", "u3"])]),
            ChatMessage(
                id: "m3", threadID: garden.id, senderID: "u1", senderName: "ada", text: "I am coming over.",
                state: .failed(reason: .refused(code: .forbidden, message: ""), retryable: false)),
        ]
        return chat
    }

    /// A whole chat: a real client on a server in memory, in which bob has sent something.
    static func client() throws -> ChatClient {
        let server = FakeChatServer(clock: SystemChatClock())
        let (ada, bob) = (server.addUser("ada"), server.addUser("bob"))
        let room = server.addRoom("Garden", members: [ada, bob])
        server.post("The beans are up.", from: bob, in: room)
        return try ChatClient(configuration: server.configuration(for: ada))
    }
}

#if canImport(DeveloperToolsSupport)
    #Preview("Inbox") { InboxView(Sample.chat()) }
    #Preview("Conversation") { ConversationView(Sample.garden, in: Sample.chat()) }
#endif
