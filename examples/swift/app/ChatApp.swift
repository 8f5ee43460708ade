// A SwiftUI app on ParleyClient: a list of threads, a conversation, states of messages, offline as well as online.
// To try it, make an app target for iOS 17 or macOS 14 in Xcode (for Observation; ParleyClient needs iOS 16 or macOS 13), add
// this package and this file.
#if canImport(SwiftUI)
    import ParleyClient
    import SwiftUI

    /// The threads and the state of the connection, for views.
    @MainActor @Observable final class Inbox {
        let client: ChatClient
        private(set) var threads: [ChatThread] = []
        private(set) var state = ConnectionState.offline(until: nil)

        init(client: ChatClient) { self.client = client }

        /// Runs as long as the view is shown.
        func follow() async {
            await client.start()
            async let states: Void = followStates()
            for await update in client.threads() { threads = update.items }
            await states
        }

        private func followStates() async {
            for await state in client.states { self.state = state }
        }
    }

    /// A conversation, for views.
    @MainActor @Observable final class Conversation {
        let thread: ChatThread
        private let client: ChatClient
        private var collection: MessageCollection?
        private(set) var messages: [ChatMessage] = []
        private(set) var hasOlder = false
        var draft = ""

        init(_ thread: ChatThread, client: ChatClient) { (self.thread, self.client) = (thread, client) }

        func follow() async {
            let collection = await client.messages(in: thread.id)
            self.collection = collection
            for await update in collection {
                (messages, hasOlder) = (update.items, update.hasOlder)
                try? await client.markRead(thread.id)
            }
        }

        func send() async {
            guard (try? await client.send(draft, to: thread.id)) != nil else { return }
            draft = ""
        }

        /// A picture from the photo picker: copied at once, uploaded as the network allows.
        func send(_ photo: Data, mediaType: String) async {
            let file = LocalFile(.bytes(Array(photo)), name: "Photo", mediaType: mediaType)
            _ = try? await client.send(ChatDraft(draft, files: [file]), to: thread.id)
        }

        func data(of file: ChatFile) async -> Data? { try? await client.data(of: file) }
        func loadOlder() async { _ = try? await collection?.loadOlder() }
        func retry(_ message: ChatMessage) async { try? await client.retry(message.id, in: thread.id) }
        func discard(_ message: ChatMessage) async { try? await client.discard(message.id, in: thread.id) }
    }

    struct InboxView: View {
        @State var inbox: Inbox

        var body: some View {
            NavigationStack {
                List(inbox.threads) { thread in
                    NavigationLink(value: thread) {
                        VStack(alignment: .leading) {
                            Text(thread.title).bold(thread.unread > 0)
                            Text(thread.lastMessage?.text ?? "").lineLimit(1).foregroundStyle(.secondary)
                        }
                    }
                    .badge(thread.unread)
                }
                .navigationDestination(for: ChatThread.self) { thread in
                    ConversationView(conversation: Conversation(thread, client: inbox.client))
                }
                .navigationTitle(inbox.state == .connected ? "Chats" : "Connecting …")
            }
            .task { await inbox.follow() }
        }
    }

    struct ConversationView: View {
        @State var conversation: Conversation

        var body: some View {
            ScrollView {
                LazyVStack(alignment: .leading) {
                    if conversation.hasOlder { ProgressView().task { await conversation.loadOlder() } }
                    ForEach(conversation.messages) { MessageRow(message: $0, conversation: conversation) }
                }
            }
            .defaultScrollAnchor(.bottom)
            .safeAreaInset(edge: .bottom) {
                TextField("Message", text: $conversation.draft)
                    .textFieldStyle(.roundedBorder).padding()
                    .onSubmit { Task { await conversation.send() } }
            }
            .navigationTitle(conversation.thread.title)
            .task { await conversation.follow() }
        }
    }

    struct MessageRow: View {
        let message: ChatMessage
        let conversation: Conversation

        var body: some View {
            VStack(alignment: .leading) {
                Text(message.senderName).font(.caption)
                Text(message.isRemoved ? "Message deleted" : message.text)
                ForEach(message.parts.compactMap(\.file), id: \.self) { FileRow(file: $0, conversation: conversation) }
                switch message.state {
                case .stored: EmptyView()
                case .pending, .accepted: Image(systemName: "clock").font(.caption)
                case .failed(let reason, _):
                    HStack {
                        Text(reason.description).font(.caption)
                        Button("Retry") { Task { await conversation.retry(message) } }
                        Button("Delete") { Task { await conversation.discard(message) } }
                    }
                }
            }
            .padding(.horizontal)
        }
    }

    struct FileRow: View {
        let file: ChatFile
        let conversation: Conversation
        @State private var size: Int?

        var body: some View {
            if let upload = file.upload {
                ProgressView(file.name ?? "File", value: upload.fraction)
            } else {
                // An image view would decode the bytes here.
                Button(size.map { "\($0) bytes" } ?? file.name ?? "File") {
                    Task { size = await conversation.data(of: file)?.count }
                }
            }
        }
    }
#endif
