import ParleyClient
import ParleyClientObservation
import SwiftUI

/// The messages of a thread, and a field for the next one.
public struct ConversationView: View {
    private let title: String
    @State private var conversation: ChatConversation

    public init(_ thread: ChatThread, in chat: any ChatService) {
        title = thread.title
        _conversation = State(initialValue: ChatConversation(thread.id, in: chat))
    }

    public var body: some View {
        ScrollView {
            LazyVStack(alignment: .leading) {
                if conversation.hasOlder {
                    ProgressView().task { await conversation.loadOlder() }
                }
                ForEach(conversation.messages) { message in
                    MessageRow(message: message, conversation: conversation)
                }
            }
        }
        .defaultScrollAnchor(.bottom)
        .safeAreaInset(edge: .bottom) { Composer(conversation: conversation) }
        .navigationTitle(title)
        .task { await conversation.follow() }
    }
}

/// The field for a message, and the error of the last action, with what the user can do about it.
struct Composer: View {
    @Bindable var conversation: ChatConversation

    var body: some View {
        VStack(alignment: .leading) {
            if let error = conversation.error { ErrorRow(error: error, conversation: conversation) }
            TextField("Message", text: $conversation.text)
                .onSubmit { Task { await conversation.send() } }
                .onChange(of: conversation.text) { Task { await conversation.typed() } }
        }
        .padding()
    }
}

struct ErrorRow: View {
    let error: any Error
    let conversation: ChatConversation

    var body: some View {
        HStack {
            Text(error.localizedDescription).font(.caption)
            switch ChatRemedy(for: error) {
            case .tryLater, .retry: Button("Try again") { Task { await conversation.send() } }
            case .logIn, .show, .ignore: Button("OK") { conversation.dismissError() }
            }
        }
    }
}

struct MessageRow: View {
    let message: ChatMessage
    let conversation: ChatConversation

    var body: some View {
        VStack(alignment: .leading) {
            Text(message.shownSenderName).font(.caption)
            Text(message.isRemoved ? "Message deleted" : message.text)
            ForEach(message.parts.compactMap(\.file), id: \.self) { file in FileRow(file: file) }
            HStack {
                ForEach(message.reactions, id: \.emoji) { reaction in
                    Button("\(reaction.emoji) \(reaction.count)") {
                        Task { await conversation.toggle(reaction.emoji, on: message) }
                    }
                }
            }
            state
        }
        .padding()
    }

    @ViewBuilder private var state: some View {
        switch message.state {
        case .stored: EmptyView()
        case .pending, .accepted: Image(systemName: "clock").font(.caption)
        case .failed(let reason, let retryable):
            HStack {
                Text(reason.localizedDescription).font(.caption)
                if retryable { Button("Retry") { Task { await conversation.retry(message) } } }
                Button("Delete") { Task { await conversation.discard(message) } }
            }
        }
    }
}

struct FileRow: View {
    let file: ChatFile

    var body: some View {
        if let upload = file.upload {
            ProgressView(file.name ?? "File", value: upload.fraction)
        } else {
            Text(file.name ?? "File")
        }
    }
}
