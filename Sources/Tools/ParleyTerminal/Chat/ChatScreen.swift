/// The state and behavior of the terminal client: events in, effects out, and a frame on request.
///
/// - The list of conversations, and the open conversation.
/// - The composer, with a draft for each conversation, replies and edits.
/// - The selection of a message, and its commands.
/// - Prompts, search results, and pages of help.
///
/// Every text from other users passes ``SafeText`` before it is part of a frame.
package struct ChatScreen: Sendable {
    /// The part of the screen that handles keys.
    enum Focus: Hashable, Sendable {
        case composer
        case messages
        case inbox
        case prompt
        case results
        case page
    }

    /// The effect of Enter on the text of the composer.
    enum Purpose: Hashable, Sendable {
        case new
        case reply(ShownMessage)
        case edit(ShownMessage)
    }

    struct Results: Sendable {
        let words: String
        let messages: [ShownMessage]
        let hasMore: Bool
        var selected = 0
    }

    struct Page: Sendable {
        let title: String
        let lines: [String]
        var first = 0
    }

    /// The maximum number of conversations with a stored draft.
    static let maximumDrafts = 100

    let server: String
    var user: String
    var (columns, rows) = (80, 24)
    var connection = ConnectionNotice.connecting
    var unsent = 0
    var threads: [ShownThread] = []
    var open: String?
    var timeline = Timeline()
    var focus = Focus.composer
    var editor = LineEditor()
    var drafts: [String: String] = [:]
    var purpose = Purpose.new
    var inboxSelection: String?
    var prompt: Prompt?
    var promptEditor = LineEditor()
    var results: Results?
    var page: Page?
    var notice: String?
    private var invitations: [ShownInvitation] = []
    /// The IDs of the users that the user blocks.
    private var blocks: Set<String> = []
    /// The names of the users who ask to be let into the open thread, and its ID.
    private var requests: (thread: String, users: [String]) = ("", [])
    /// The `seq` of a message to select once it is loaded.
    var awaited: Int?
    /// Whether the list has contained the open thread.
    private var isOpenListed = false
    /// The last position that was marked as read.
    private var marked: (thread: String, seq: Int) = ("", 0)
    /// Whether the user was asked for a room, because there is no conversation.
    private var hasAskedForRoom: Bool

    /// - Parameter asksForRoom: Whether to ask for a room when there is no conversation.
    package init(server: String, user: String, asksForRoom: Bool = true) {
        self.server = server
        self.user = user
        hasAskedForRoom = !asksForRoom
    }

    package mutating func handle(_ event: ScreenEvent) -> [ScreenEffect] {
        var effects: [ScreenEffect] = []
        switch event {
        case .key(let key): effects = handle(key)
        case .resized(let columns, let rows): (self.columns, self.rows) = (max(1, columns), max(1, rows))
        case .connection(let connection, let unsent):
            (self.connection, self.unsent) = (connection, unsent)
            effects = askForRoomIfNeeded()
        case .user(let name): user = name
        case .textLimit(let limit): editor.limit = limit
        case .threads(let threads): effects = update(threads)
        case .messages(let thread, let messages, let hasOlder, let hasNewer):
            guard thread == open else { break }
            timeline.update(folded(messages), hasOlder: hasOlder, hasNewer: hasNewer)
            selectAwaited()
        case .entered(let thread): effects = show(thread)
        case .suggestions(let kind, let prefix, let suggestions):
            guard prompt?.kind == kind, promptEditor.text == prefix else { break }
            prompt?.suggestions = suggestions
            prompt?.selected = nil
        case .found(let words, let messages, let hasMore):
            results = Results(words: words, messages: folded(messages), hasMore: hasMore)
            focus = .results
        case .list(let title, let lines):
            page = Page(title: title, lines: lines)
            focus = .page
        case .blocks(let users):
            blocks = users
            timeline.update(folded(timeline.messages), hasOlder: timeline.hasOlder, hasNewer: timeline.hasNewer)
        case .invitations(let invitations): note(invitations)
        case .requests(let thread, let users): note(requestsOf: users, to: thread)
        case .notice(let text): notice = text
        }
        timeline.update(width: layout.messagesWidth, readSeq: openThread?.receipts.max() ?? 0)
        if case .resized = event, let selection = timeline.selection {
            timeline.select(selection, height: layout.messagesHeight, isCentred: true)
        }
        return effects + markRead()
    }

    var openThread: ShownThread? { open.flatMap { id in threads.first { $0.id == id } } }

    // MARK: Threads

    private mutating func update(_ threads: [ShownThread]) -> [ScreenEffect] {
        noteMutes(of: threads)
        self.threads = threads
        if let inboxSelection, !threads.contains(where: { $0.id == inboxSelection }) { self.inboxSelection = nil }
        if openThread != nil { isOpenListed = true }
        // An earlier list may lack a thread that was just joined.
        if isOpenListed, openThread == nil {
            notice = "You are not a member of this conversation any more."
            close()
        }
        guard open == nil, let first = threads.first, prompt == nil else { return askForRoomIfNeeded() }
        return show(first.id)
    }

    /// Tells the user of a mute that has begun, changed or ended since the last list, in the open thread or in another.
    private mutating func noteMutes(of threads: [ShownThread]) {
        let known = Dictionary(self.threads.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let changed = threads.filter { thread in known[thread.id].map { $0.mute != thread.mute } ?? false }
        guard let thread = changed.first(where: { $0.id == open }) ?? changed.first else {
            return noteHindrance(of: threads)
        }
        notice = ShownMute.notice(thread.mute, in: SafeText.name(thread.title))
    }

    /// Tells the user that they may not write in the open thread, or may again.
    private mutating func noteHindrance(of threads: [ShownThread]) {
        guard let known = openThread, let thread = threads.first(where: { $0.id == open }),
            thread.hindrance != known.hindrance
        else { return }
        notice = ShownHindrance.notice(thread.hindrance, in: SafeText.name(thread.title))
    }

    /// Folds the messages of users that the user blocks.
    private func folded(_ messages: [ShownMessage]) -> [ShownMessage] {
        messages.map { message in
            var message = message
            message.isFolded = blocks.contains(message.senderID)
            return message
        }
    }

    /// Tells the user of an invitation that was not known.
    private mutating func note(_ invitations: [ShownInvitation]) {
        if let new = invitations.first(where: { !self.invitations.contains($0) }) { notice = new.notice }
        self.invitations = invitations
    }

    /// Tells a moderator of a request to the open thread that was not known.
    private mutating func note(requestsOf users: [String], to thread: String) {
        guard thread == open else { return }
        let known = requests.thread == thread ? requests.users : []
        if let new = users.first(where: { !known.contains($0) }) {
            notice = "\(new) asks to be let in: /admit or /refuse \(new); /requests"
        }
        requests = (thread, users)
    }

    private mutating func close() {
        keepDraft()
        open = nil
        isOpenListed = false
        editor.set("")
        purpose = .new
        timeline.reset(dividerSeq: nil)
        if focus == .messages { focus = .composer }
    }

    /// Asks for a room at the first start, when there is no conversation.
    private mutating func askForRoomIfNeeded() -> [ScreenEffect] {
        guard threads.isEmpty, open == nil, connection == .connected, !hasAskedForRoom, prompt == nil else { return [] }
        hasAskedForRoom = true
        return ask(Prompt(.room))
    }

    /// Opens another thread.
    mutating func show(_ thread: String) -> [ScreenEffect] {
        focus = .composer
        prompt = nil
        guard thread != open else { return [] }
        keepDraft()
        open = thread
        isOpenListed = openThread != nil
        inboxSelection = thread
        purpose = .new
        editor.set(drafts.removeValue(forKey: thread) ?? "")
        let known = openThread
        timeline.reset(dividerSeq: known.flatMap { $0.unread > 0 ? $0.readSeq : nil })
        awaited = nil
        return [.open(thread: thread)]
    }

    private mutating func keepDraft() {
        guard let open, purpose == .new || !editor.isEmpty else { return }
        if case .edit = purpose { return }
        drafts[open] = editor.isEmpty ? nil : editor.text
        while drafts.count > Self.maximumDrafts, let any = drafts.keys.sorted().first { drafts[any] = nil }
    }

    /// Opens the previous or next conversation in the list.
    mutating func switchThread(by step: Int) -> [ScreenEffect] {
        guard !threads.isEmpty else { return [] }
        let index = threads.firstIndex { $0.id == open } ?? (step > 0 ? -1 : 0)
        let next = (index + step + threads.count) % threads.count
        return show(threads[next].id)
    }

    private mutating func selectAwaited() {
        guard let seq = awaited, let message = timeline.messages.first(where: { $0.seq == seq }) else { return }
        awaited = nil
        timeline.update(width: layout.messagesWidth, readSeq: openThread?.receipts.max() ?? 0)
        timeline.select(message.id, height: layout.messagesHeight, isCentred: true)
        focus = .messages
    }

    /// Marks the visible messages at the end of the open thread as read.
    private mutating func markRead() -> [ScreenEffect] {
        guard let thread = openThread, thread.unread > 0, timeline.isAtEnd, let seq = timeline.newestSeq,
            layout.showsMessages, focus != .results, focus != .page, seq > thread.readSeq,
            marked.thread != thread.id || marked.seq < seq
        else { return [] }
        marked = (thread.id, seq)
        return [.markRead(thread: thread.id, seq: seq)]
    }
}
