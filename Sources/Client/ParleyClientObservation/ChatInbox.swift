public import Observation
public import ParleyClient

/// The user's threads and the state of the connection, for views.
///
/// ```swift
/// struct InboxView: View {
///     @State var inbox: ChatInbox
///
///     var body: some View {
///         List(inbox.threads) { thread in Text(thread.title).badge(thread.unread) }
///             .task { await inbox.follow() }
///     }
/// }
/// ```
@available(macOS 14, iOS 17, *)
@MainActor @Observable public final class ChatInbox {
    /// The chat that is shown.
    public let chat: any ChatService
    /// The threads, most recent activity first.
    public private(set) var threads: [ChatThread] = []
    /// The state of the connection.
    public private(set) var state = ConnectionState.offline(until: nil)
    /// The user; `nil` until the client has connected once on this device.
    public private(set) var user: ChatUser?

    /// Creates an empty inbox.
    /// - Parameter chat: The chat to show.
    public init(_ chat: any ChatService) { self.chat = chat }

    /// The number of unread messages in all threads, for example for the app's badge.
    public var unread: Int { threads.reduce(0) { $0 + $1.unread } }

    /// Connects, and follows the threads and the connection until the task is cancelled or the client is shut down. A
    /// view calls it in `task`.
    public func follow() async {
        await chat.start()
        async let states: Void = followStates()
        for await update in chat.threads() { threads = update.items }
        await states
    }

    private func followStates() async {
        for await state in chat.states {
            // First the user, so that views which see the state have both.
            user = await chat.user
            self.state = state
        }
    }
}
