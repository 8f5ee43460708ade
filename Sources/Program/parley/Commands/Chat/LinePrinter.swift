import ParleyClient
import ParleyTerminal

/// Prints what happens in a thread, in the order in which it is reported.
actor LinePrinter {
    enum Format: Hashable, Sendable {
        case plain
        case json
    }

    private let format: Format
    private var printed = PrintedMessages()
    private var lastState: String?
    private var lastMute: ShownMute?
    private var lastHindrance: ShownHindrance?
    /// The thread, once it is open.
    private(set) var thread: ChatThread.ID?
    /// Lines of standard input that were not done.
    private(set) var errorCount = 0

    init(_ format: Format) { self.format = format }

    /// - Parameter reason: The reason that the connection ended.
    func show(_ state: ConnectionState, reason: String?) throws {
        let name = state.name
        guard name != lastState else { return }
        lastState = name
        if format == .json { try write(JSONLines.state(name, reason: reason)) }
    }

    func show(_ thread: ChatThread) throws {
        self.thread = thread.id
        if format == .json {
            try write(JSONLines.thread(thread.id.rawValue, title: thread.title, kind: thread.kind.rawValue))
        }
    }

    /// - Parameter mute: The user's mute in the thread.
    func show(_ mute: ShownMute?, in thread: ChatThread.ID) throws {
        guard mute != lastMute else { return }
        lastMute = mute
        switch format {
        case .plain: StandardError.print("parley chat: \(SafeText.line(ShownMute.notice(mute, in: "this thread")))")
        case .json: try write(JSONLines.mute(mute, in: thread.rawValue))
        }
    }

    /// - Parameter hindrance: The reason that the user may not write in the thread, besides a mute.
    func show(_ hindrance: ShownHindrance?, in thread: ChatThread.ID) throws {
        guard hindrance != lastHindrance else { return }
        lastHindrance = hindrance
        switch format {
        case .plain:
            let notice = ShownHindrance.notice(hindrance, in: "this thread")
            StandardError.print("parley chat: \(SafeText.line(notice))")
        case .json: try write(JSONLines.hindrance(hindrance, in: thread.rawValue))
        }
    }

    func sent(_ message: ShownMessage) throws {
        if let change = printed.note(message) { try write(change) }
    }

    func update(_ messages: [ShownMessage], hasOlder: Bool) throws {
        for change in printed.update(messages, hasOlder: hasOlder) { try write(change) }
    }

    /// Older messages, on request.
    func older(_ messages: [ShownMessage]) throws {
        for message in messages {
            try write(format == .json ? JSONLines.message(message) : PlainLines.line(message))
        }
    }

    func found(_ messages: [ShownMessage], _ words: String, hasMore: Bool) throws {
        for message in messages {
            try write(format == .json ? JSONLines.found(message) : PlainLines.dated(message))
        }
        if format == .json { try write(JSONLines.searched(words, hasMore: hasMore)) }
    }

    /// The values of an answer, or nothing but its end.
    func answered(line number: Int, _ answer: CommandAnswer) throws {
        for row in answer.rows {
            try write(format == .json ? JSONLines.answer(line: number, row) : SafeText.line(row.text))
        }
        if format == .json { try write(JSONLines.answered(line: number, count: answer.rows.count)) }
    }

    func failed(line number: Int, _ reason: String) throws {
        errorCount += 1
        StandardError.print("parley chat: line \(number): \(SafeText.line(reason))")
        if format == .json { try write(JSONLines.error(line: number, reason)) }
    }

    func message(_ target: MessageTarget, ownOnly: Bool) -> ShownMessage? {
        printed.message(target, ownOnly: ownOnly)
    }

    var oldestSeq: Int? { printed.messages.lazy.compactMap(\.seq).first }

    private func write(_ change: PrintedMessages.Change) throws {
        let line = format == .json ? JSONLines.change(change) : PlainLines.change(change)
        if let line { try write(line) }
    }

    private func write(_ line: String) throws { try StandardOutput.write(line + "\n") }
}
