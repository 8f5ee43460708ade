import ParleyClient
import ParleyClientObservation
import SwiftUI

/// The user's threads, with unread counts, last messages and who is typing.
public struct InboxView: View {
    @State private var inbox: ChatInbox

    public init(_ chat: any ChatService) { _inbox = State(initialValue: ChatInbox(chat)) }

    public var body: some View {
        NavigationStack {
            List(inbox.threads) { thread in
                NavigationLink(value: thread) { ThreadRow(thread: thread) }
                    .badge(thread.unread)
            }
            .navigationDestination(for: ChatThread.self) { thread in
                ConversationView(thread, in: inbox.chat)
            }
            .navigationTitle(inbox.state == .connected ? "Chats" : "Connecting …")
        }
        .task { await inbox.follow() }
    }
}

struct ThreadRow: View {
    let thread: ChatThread

    var body: some View {
        VStack(alignment: .leading) {
            Text(thread.title).bold(thread.unread > 0)
            Text(line).lineLimit(1).foregroundStyle(.secondary)
        }
    }

    private var line: String {
        if let typist = thread.typing.first { return "\(typist.displayName ?? typist.username) is typing …" }
        guard let last = thread.lastMessage else { return "" }
        return last.isRemoved ? "Message deleted" : last.text
    }
}
