import ParleyClient
import ParleyTerminal

/// Performs the lines of standard input in a thread.
struct LineInput: Sendable {
    let client: ChatClient
    let thread: ChatThread.ID
    let printer: LinePrinter
    /// The longest time that the server may take to accept a message that the next line answers; `nil` for no limit.
    let wait: Duration?

    /// A line names no message.
    private struct NoMessage: Error, CustomStringConvertible {
        var description: String { "no such message" }
    }

    /// The message that a line answers has no number yet.
    private struct NotAccepted: Error, CustomStringConvertible {
        var description: String { "the message is not accepted yet" }
    }

    /// Performs lines until the end of the input or `/quit`.
    /// - Returns: Whether it was `/quit`.
    func run(maximumUnconfirmed: Int) async throws -> Bool {
        var input = try StandardInputLines()
        var history: MessageCollection?
        var number = 0
        while let line = await input.next() {
            try Task.checkCancellation()
            number += 1
            do {
                guard case .text(let line) = line else { throw LineCommand.Invalid.tooLong }
                guard let command = try LineCommand.parse(line) else { continue }
                switch command {
                case .quit: return true
                case .older: try await printOlder(&history)
                default: try await perform(command, line: number)
                }
            } catch let error as StandardOutput.Closed {
                throw error
            } catch let error as CancellationError {
                throw error
            } catch {
                try await printer.failed(line: number, "\(error)")
            }
            while await client.pendingCount(in: thread) >= maximumUnconfirmed {
                try await Task.sleep(for: .milliseconds(30))
            }
        }
        return false
    }

    private func perform(_ command: LineCommand, line: Int) async throws {
        switch command {
        case .text(let text): try await send(text, replyTo: nil)
        case .reply(let target, let text):
            let seq = try await seq(of: try await message(target, ownOnly: false))
            try await send(text, replyTo: seq)
        case .edit(let target, let text):
            try await client.edit(try await messageID(target), in: thread, text: text)
        case .delete(let target):
            try await client.delete(try await messageID(target), in: thread)
        case .react(let target, let emoji, let isOn):
            let id = ChatMessage.ID(try await message(target, ownOnly: false).id)
            try await client.react(emoji, isOn: isOn, to: id, in: thread)
        case .retry(let target): try await client.retry(try await messageID(target), in: thread)
        case .discard(let target): try await client.discard(try await messageID(target), in: thread)
        case .read: try await client.markRead(thread)
        case .search(let words):
            let results = try await client.search(words, in: thread)
            try await printer.found(await client.shown(results.messages), words, hasMore: results.hasMore)
        case .entrance(let command):
            try await printer.answered(line: line, try await client.perform(command, in: thread))
        case .room(let command): try await printer.answered(line: line, try await client.perform(command, in: thread))
        case .sanction(let command): _ = try await client.perform(command, in: thread)
        case .older, .quit: break
        }
    }

    private func send(_ text: String, replyTo: Int?) async throws {
        let message = try await client.send(text, to: thread, replyTo: replyTo)
        try await printer.sent(ShownMessage(message, user: client.user?.id))
    }

    private func printOlder(_ history: inout MessageCollection?) async throws {
        guard let oldest = await printer.oldestSeq else { return }
        let collection: MessageCollection
        if let history { collection = history } else { collection = await client.messages(in: thread) }
        let before = history == nil ? oldest : await collection.current().items.compactMap(\.seq).first ?? oldest
        history = collection
        try await collection.loadOlder()
        let older = await collection.current().items.filter { $0.seq.map { $0 < before } ?? false }
        try await printer.older(await client.shown(older))
    }

    /// The `seq` of a message, which an answer needs; that of one that was just sent is waited for.
    private func seq(of message: ShownMessage) async throws -> Int {
        if let seq = message.seq { return seq }
        let seq = try await within(wait) {
            while true {
                guard let now = await printer.message(.id(message.id), ownOnly: false), !now.hasFailed else {
                    throw NoMessage()
                }
                if let seq = now.seq { return seq }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        guard let seq else { throw NotAccepted() }
        return seq
    }

    /// The ID of a message of the user's own.
    private func messageID(_ target: MessageTarget) async throws -> ChatMessage.ID {
        ChatMessage.ID(try await message(target, ownOnly: true).id)
    }

    /// The message that a line names; one that is not among the newest is looked up by its `seq`.
    private func message(_ target: MessageTarget, ownOnly: Bool) async throws -> ShownMessage {
        if let message = await printer.message(target, ownOnly: ownOnly) { return message }
        guard case .seq(let seq) = target else { throw NoMessage() }
        let collection = await client.messages(in: thread)
        try await collection.jump(toSeq: seq)
        guard let found = await collection.current().items.first(where: { $0.seq == seq }) else { throw NoMessage() }
        return ShownMessage(found, user: await client.user?.id)
    }
}
