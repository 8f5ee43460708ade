import ParleyClient
import ParleyTerminal

/// `parley chat --plain` and `--json`: standard input to a thread, and the thread to standard output.
///
/// - Opens the thread: from what is kept on this machine, otherwise as soon as there is a connection.
/// - Prints states, the user's mutes, messages and their changes.
/// - Sends each line, and performs commands; reads no more while too much is unconfirmed.
/// - At the end waits until everything is stored, and reports what is not.
struct ChatLines: Sendable {
    let client: ChatClient
    let session: TerminalSession
    let target: ChatTarget
    let follows: Bool
    /// The longest time to wait; `nil` for no limit.
    let wait: Duration?
    private let printer: LinePrinter

    /// The server ended the session.
    private struct LoggedOut: Error {
        let reason: LogoutReason
    }

    /// A reader that does not read and a server that does not answer do not hold the program longer after a signal.
    private static let grace = Duration.seconds(2)
    /// No more of standard input is read while this much is unconfirmed.
    private static let maximumUnconfirmed = 5000

    init(
        client: ChatClient, session: TerminalSession, target: ChatTarget, format: LinePrinter.Format, follows: Bool,
        wait: Duration?
    ) {
        self.client = client
        self.session = session
        self.target = target
        self.follows = follows
        self.wait = wait
        printer = LinePrinter(format)
    }

    /// - Returns: The exit code.
    /// - Throws: ``ChatFailure``.
    func run() async throws -> Int32 {
        await client.start()
        do {
            try await Interruption.ends(hangsUp: true, within: Self.grace) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await self.printStates() }
                    group.addTask { try await self.chat() }
                    defer { group.cancelAll() }
                    _ = try await group.next()
                }
            }
        } catch is StandardOutput.Closed {
            // As `head` does to its input; nothing is lost.
            return 141
        } catch let loggedOut as LoggedOut {
            await reportUnsent()
            throw end(loggedOut.reason)
        } catch is CancellationError {}
        let isComplete = await reportUnsent()
        let errorCount = await printer.errorCount
        await client.shutDown()
        return isComplete && errorCount == 0 ? 0 : 1
    }

    private func printStates() async throws {
        for await state in client.states {
            guard case .loggedOut(let reason) = state else {
                try await printer.show(state, reason: nil)
                continue
            }
            try await printer.show(state, reason: session.explanation(of: reason))
            throw LoggedOut(reason: reason)
        }
    }

    /// Removes a session that has ended, so that the next run logs in, or signs up.
    private func end(_ reason: LogoutReason) -> ChatFailure {
        let text = "logged out: \(session.explanation(of: reason))"
        guard session.isRenewable, [.refused, .revoked].contains(reason) else { return ChatFailure(text) }
        session.forget()
        return ChatFailure("\(text); set PARLEY_CHAT_PASSWORD, or start again in a terminal, to log in or sign up")
    }

    private func chat() async throws {
        let thread = try await target.open(with: client, within: wait)
        if let thread = await client.thread(thread) { try await printer.show(thread) }
        let messages = await client.messages(in: thread)
        let input = LineInput(client: client, thread: thread, printer: printer, wait: wait)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await update in messages {
                    try await printer.update(await client.shown(update.items), hasOlder: update.hasOlder)
                }
                return false
            }
            group.addTask {
                for await update in client.threads() {
                    guard let known = update.items.first(where: { $0.id == thread }) else { continue }
                    try await printer.show(known.mute.map { ShownMute($0) }, in: thread)
                    try await printer.show(known.shownHindrance, in: thread)
                }
                return false
            }
            group.addTask {
                let hasQuit = try await input.run(maximumUnconfirmed: Self.maximumUnconfirmed)
                guard !follows || hasQuit else { return false }
                try await finish(thread, messages)
                return true
            }
            defer { group.cancelAll() }
            while let isEnd = try await group.next() { if isEnd { return } }
        }
    }

    // MARK: End

    /// Returns when the server has everything that is not refused, and everything it has is printed; or when the time is
    /// over.
    private func finish(_ thread: ChatThread.ID, _ messages: MessageCollection) async throws {
        let isDone: Bool?
        do {
            isDone = try await within(wait) {
                while await client.pendingCount(in: thread) > 0 { try await Task.sleep(for: Self.poll) }
                try await catchUp(thread, messages)
                return true
            }
        } catch let failure as ChatFailure {
            try await print(messages)
            throw failure
        }
        try await print(messages)
        guard isDone == nil, await client.pendingCount(in: thread) == 0 else { return }
        throw Self.mayBeOld
    }

    private func print(_ messages: MessageCollection) async throws {
        let current = await messages.current()
        try await printer.update(await client.shown(current.items), hasOlder: current.hasOlder)
    }

    private static let mayBeOld = ChatFailure(
        "no connection to the server in time: what is printed may not be the newest")

    /// Waits for the newest messages, which may still be on their way when there was nothing to send.
    private func catchUp(_ thread: ChatThread.ID, _ messages: MessageCollection) async throws {
        guard try await askForNewest(thread) else { return }
        // The newest message of the cache, also where the window does not reach it yet.
        let last = await client.thread(thread)?.lastMessage
        let isShown = try await within(.seconds(10)) {
            while true {
                if await messages.current().shows(last) { return true }
                try await Task.sleep(for: Self.poll)
            }
        }
        guard isShown == true else { throw Self.mayBeOld }
    }

    /// Asks the server for what is above the head, with a page before it, since no sequence reports that what was missed
    /// is here; again on the next connection, if this one ends.
    /// - Returns: Whether there is anything.
    private func askForNewest(_ thread: ChatThread.ID) async throws -> Bool {
        while true {
            for await state in client.states where state == .connected { break }
            try Task.checkCancellation()
            guard let head = await client.thread(thread)?.headSeq, head > 0 else { return false }
            do {
                try await client.messages(in: thread).jump(toSeq: head + 1)
                return true
            } catch ChatError.unknown {
                // There is nothing above.
                return true
            } catch ChatError.offline {
                try await Task.sleep(for: Self.poll)
            } catch let error as ChatError {
                throw ChatFailure("what is printed may not be the newest: \(error)")
            }
        }
    }

    /// Between two looks at what no sequence reports.
    private static let poll = Duration.milliseconds(30)

    /// Names what the server has not confirmed, on standard error.
    /// - Returns: Whether there is nothing.
    @discardableResult
    private func reportUnsent() async -> Bool {
        guard let thread = await printer.thread else { return true }
        guard await client.thread(thread) != nil else {
            StandardError.print("parley chat: \(session.user) is not a member any more; what was unsent is removed")
            return false
        }
        let unconfirmed = await client.unconfirmed(in: thread)
        let rest = unconfirmed.count - Self.maximumNamed
        if rest > 0 { StandardError.print("parley chat: not confirmed: \(rest) more") }
        for send in unconfirmed.suffix(Self.maximumNamed) {
            let what = SafeText.line("\(send.name)\(SafeText.marked(send.text))")
            StandardError.print("parley chat: not confirmed: \(what) (\(SafeText.line(send.reason)))")
        }
        return unconfirmed.isEmpty
    }

    private static let maximumNamed = 20
}

extension UnconfirmedSend {
    /// The kind of send, printed before its text; empty for a message.
    fileprivate var name: String {
        switch kind {
        case .message: ""
        case .edit: "edit: "
        case .deletion: "deletion of \(messageID)"
        case .reaction: "reaction: "
        }
    }

    fileprivate var reason: String {
        guard let failure else { return "it is kept, and sent at the next start" }
        return kind == .message ? "\(failure)" : "a change was refused: \(failure)"
    }
}

extension ChatUpdate<ChatMessage> {
    /// Whether the newest page is here, and reaches to a message. One that was accepted twice is shown once.
    fileprivate func shows(_ last: ChatMessage?) -> Bool {
        guard !items.isEmpty || !hasOlder else { return false }
        guard let last, let seq = last.seq else { return true }
        if let shown = items.last(where: { $0.seq != nil })?.seq, shown >= seq { return true }
        return items.contains { $0.id == last.id || ($0.clientID != nil && $0.clientID == last.clientID) }
    }
}
