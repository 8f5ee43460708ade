import Foundation
import ParleyClient
import ParleyJSON
import ParleyTerminal

extension ChatClient {
    /// Performs a command about the ways into rooms.
    /// - Parameter thread: The open conversation.
    func perform(_ command: EntranceCommand, in thread: ChatThread.ID) async throws -> CommandAnswer {
        switch command {
        case .createGroup(let users, let title):
            return await entered(try await createGroup(of: users, title: title))
        case .joinLink(let code): return await entered(try await joinLink(code))
        case .setOwner(let user):
            let owner = try await setOwner(user, of: thread)
            return CommandAnswer("\(owner.user.username) is the owner now, and you are a moderator.")
        case .createLink(let duration, let uses):
            let link = try await createLink(to: thread, for: duration, uses: uses)
            return CommandAnswer("A link into this room; its code is not shown again", rows: [link.row])
        case .links:
            let links = try await links(to: thread)
            return CommandAnswer(links.isEmpty ? "There is no link." : "\(links.count) links", rows: links.map(\.row))
        case .revokeLink(let id):
            try await revokeLink(ChatLink.ID(id), to: thread)
            return CommandAnswer("The link is revoked.")
        }
    }

    /// The answer to a command that enters a conversation.
    private func entered(_ id: ChatThread.ID) async -> CommandAnswer {
        let title = await thread(id)?.title ?? id.rawValue
        let row = CommandAnswer.Row("\(id)  \(title)", [("thread", .text(id.rawValue)), ("title", .text(title))])
        return CommandAnswer("You are a member of \(title).", rows: [row], entered: id.rawValue)
    }
}

extension ChatLink {
    /// `Zk3vX0qJ9sT2bLw7R1nYeA  until 2026-11-27 14:05, 3 of 10 uses`, with the ID in place of a code that is not known.
    var row: CommandAnswer.Row {
        let end = until.map { " until \(LocalTime($0).minute)," } ?? ""
        let count = uses.map { "\(used) of \($0) uses" } ?? "used \(used) times"
        return CommandAnswer.Row(
            "\(code ?? id.rawValue) \(end) \(count)",
            [
                ("id", .text(id.rawValue)), ("code", code.map { .text($0) }),
                ("until", until.map { .integer($0.milliseconds) }), ("uses", uses.map { .integer(Int64($0)) }),
                ("used", .integer(Int64(used))),
            ])
    }
}

extension LocalTime {
    /// `2026-11-27 14:05`
    var minute: String { "\(date) \(clock)" }
}
