import ParleyClient
import ParleyTerminal

/// `parley chat --plain` and `--json`: standard input to a thread, and the thread to standard output.
///
/// - Opens the thread: from what is kept on this machine, otherwise as soon as there is a connection.
/// - Prints states, messages and their changes.
/// - Sends each line, and performs commands; reads no more while too much is unconfirmed.
/// - At the end waits until everything is stored, and reports what is not.
struct ChatLines: Sendable {
    let client: ChatClient
    let target: ChatTarget
    let follows: Bool
    /// `nil` waits for ever.
    let wait: Duration?
    private let printer: LinePrinter

    /// The server ended the session.
    private struct LoggedOut: Error {
        let reason: String
    }

    /// A reader that does not read and a server that does not answer do not hold the program longer after a signal.
    private static let grace = Duration.seconds(2)
    /// No more of standard input is read while this much is unconfirmed.
    private static let maximumUnconfirmed = 5000

    init(client: ChatClient, target: ChatTarget, format: LinePrinter.Format, follows: Bool, wait: Duration?) {
        self.client = client
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
            throw ChatFailure("logged out: \(loggedOut.reason)")
        } catch is CancellationError {}
        let isComplete = await reportUnsent()
        let errorCount = await printer.errorCount
        await client.shutDown()
        return isComplete && errorCount == 0 ? 0 : 1
    }

    private func printStates() async throws {
        for await state in client.states {
            try await printer.show(state)
            if case .loggedOut(let reason) = state { throw LoggedOut(reason: reason.explanation) }
        }
    }

    private func chat() async throws {
        let thread = try await target.open(with: client, within: wait)
        if let thread = await client.thread(thread) { try await printer.show(thread) }
        let messages = await client.messages(in: thread)
        let input = LineInput(client: client, thread: thread, printer: printer, wait: wait)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await update in messages {
                    try await printer.update(await shown(update.items), hasOlder: update.hasOlder)
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

    private func shown(_ messages: [ChatMessage]) async -> [ShownMessage] {
        let user = await client.user?.id
        return messages.map { ShownMessage($0, user: user) }
    }

    // MARK: End

    /// Returns when the server has everything that is not refused, and everything it has is printed; or when the time is
    /// over.
    private func finish(_ thread: String, _ messages: MessageCollection) async throws {
        let isDone = try await within(wait) {
            while await client.pendingCount(in: thread) > 0 {
                try await Task.sleep(for: Self.poll)
            }
            try await catchUp(thread, messages)
            return true
        }
        let last = await messages.current()
        try await printer.update(await shown(last.items), hasOlder: last.hasOlder)
        guard isDone == nil, await client.pendingCount(in: thread) == 0 else { return }
        throw ChatFailure("no connection to the server in time: what is printed may not be the newest")
    }

    /// Waits for the newest messages, which may still be on their way when there was nothing to send.
    private func catchUp(_ thread: String, _ messages: MessageCollection) async throws {
        for await state in client.states where state == .connected { break }
        guard let head = await client.thread(thread)?.headSeq, head > 0 else { return }
        // No sequence reports that what was missed is here, so the server is asked for what is above the head, with a page
        // before it; that there is nothing is no error. The thread's last message is then the newest one of the cache,
        // also where the window does not reach it yet.
        try? await client.messages(in: thread).jump(toSeq: head + 1)
        let last = await client.thread(thread)?.lastMessage?.seq ?? 0
        _ = try await within(.seconds(10)) {
            while true {
                let current = await messages.current()
                let shown = current.items.last { $0.seq != nil }?.seq ?? 0
                if shown >= last, !current.items.isEmpty || !current.hasOlder { return true }
                try await Task.sleep(for: Self.poll)
            }
        }
    }

    /// Between two looks at what no sequence reports.
    private static let poll = Duration.milliseconds(30)

    /// Names what the server has not confirmed, on standard error.
    /// - Returns: Whether there is nothing.
    @discardableResult
    private func reportUnsent() async -> Bool {
        let unconfirmed = await printer.unconfirmed
        let pending = if let thread = await printer.thread { await client.pendingCount(in: thread) } else { 0 }
        let count = max(pending, unconfirmed.count)
        guard count > 0 else { return true }
        let rest = count - min(20, unconfirmed.count)
        if rest > 0 { StandardError.print("parley chat: not confirmed: \(rest) more") }
        for message in unconfirmed.suffix(20) {
            var reason = "it is kept, and sent at the next start"
            if case .failed(let error, _) = message.state { reason = error }
            if case .failed(let error) = message.change { reason = "a change was refused: \(error)" }
            StandardError.print(
                "parley chat: not confirmed: \(SafeText.marked(message.content)) (\(SafeText.line(reason)))")
        }
        return false
    }
}
