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
        case .invite, .invitations, .withdrawInvitation, .myInvitations, .acceptInvitation, .declineInvitation:
            return try await performInvitation(command, in: thread)
        case .request, .myRequests, .withdrawRequest, .requests, .acceptRequest, .refuseRequest:
            return try await performRequest(command, in: thread)
        }
    }

    private func performInvitation(
        _ command: EntranceCommand, in thread: ChatThread.ID
    ) async throws -> CommandAnswer {
        switch command {
        case .invite(let user, let duration, let text):
            let invitation = try await invite(user, to: thread, for: duration, text: text)
            return CommandAnswer("\(invitation.user.username) is invited.")
        case .withdrawInvitation(let user):
            try await withdrawInvitation(of: user, to: thread)
            return CommandAnswer("\(user) is no longer invited.")
        case .acceptInvitation(let room):
            return await entered(try await acceptInvitation(to: try await invited(to: room)))
        case .declineInvitation(let room):
            try await declineInvitation(to: try await invited(to: room))
            return CommandAnswer("The invitation is declined.")
        case .invitations:
            let rows = try await invitations(to: thread).map(\.row)
            return CommandAnswer(rows.isEmpty ? "There is no invitation." : "\(rows.count) invitations", rows: rows)
        default:
            let rows = try await myInvitations().map(\.row)
            return CommandAnswer(rows.isEmpty ? "You have no invitation." : "\(rows.count) invitations", rows: rows)
        }
    }

    /// The ID of the room that an invitation leads to.
    /// - Parameter room: The ID, or the title if only one invitation has it.
    private func invited(to room: String) async throws -> ChatThread.ID {
        let all = try await myInvitations()
        if let named = all.first(where: { $0.threadID.rawValue == room }) { return named.threadID }
        let titled = all.filter { $0.title == room }
        guard let only = titled.first, titled.count == 1 else {
            throw ChatFailure(
                titled.isEmpty ? "no invitation leads to \(room)" : "several invitations lead to \(room): name an ID")
        }
        return only.threadID
    }

    private func performRequest(_ command: EntranceCommand, in thread: ChatThread.ID) async throws -> CommandAnswer {
        switch command {
        case .request(let id, let text):
            let request = try await requestEntrance(to: ChatThread.ID(id), text: text)
            return CommandAnswer("The request lasts until \(LocalTime(request.until).minute).")
        case .withdrawRequest(let id):
            try await withdrawRequest(to: ChatThread.ID(id))
            return CommandAnswer("The request is withdrawn.")
        case .acceptRequest(let user):
            let member = try await acceptRequest(of: user, to: thread)
            return CommandAnswer("\(member.user.username) is a member now.")
        case .refuseRequest(let user):
            try await refuseRequest(of: user, to: thread)
            return CommandAnswer("The request is refused; \(user) is not told.")
        case .requests:
            let rows = try await entranceRequests(to: thread).map(\.row)
            return CommandAnswer(rows.isEmpty ? "There is no request." : "\(rows.count) requests", rows: rows)
        default:
            let rows = try await myRequests().map(\.row)
            return CommandAnswer(rows.isEmpty ? "You have no request." : "\(rows.count) requests", rows: rows)
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
        let count = uses.map { "\(used) of \($0) uses" } ?? "used \(used) times"
        return CommandAnswer.Row(
            "\(code ?? id.rawValue) \(until.end) \(count)",
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

extension ChatInvitation {
    /// `bob  until 2026-11-27 14:05, invited by alice: We plan the feast here`
    var row: CommandAnswer.Row {
        CommandAnswer.Row(
            "\(user.username) \(until.end) invited by \(by.username)\(text.afterColon)",
            [
                ("user", .text(user.username)), ("user_id", .text(user.id.rawValue)), ("by", .text(by.username)),
                ("text", text.map { .text($0) }), ("since", .integer(since.milliseconds)),
                ("until", until.map { .integer($0.milliseconds) }),
            ])
    }
}

extension ChatMyInvitation {
    /// `0190a1  Garden  until 2026-11-27 14:05, invited by alice: We plan the feast here`
    var row: CommandAnswer.Row {
        CommandAnswer.Row(
            "\(threadID)  \(title) \(until.end) invited by \(by.username)\(text.afterColon)",
            [
                ("thread", .text(threadID.rawValue)), ("title", .text(title)), ("by", .text(by.username)),
                ("text", text.map { .text($0) }), ("since", .integer(since.milliseconds)),
                ("until", until.map { .integer($0.milliseconds) }),
            ])
    }
}

extension ChatEntranceRequest {
    /// `bob  since 2026-11-27 14:05: I grow tomatoes`
    var row: CommandAnswer.Row {
        CommandAnswer.Row(
            "\(user.username)  since \(LocalTime(since).minute)\(text.afterColon)",
            [
                ("user", .text(user.username)), ("user_id", .text(user.id.rawValue)), ("text", text.map { .text($0) }),
                ("since", .integer(since.milliseconds)),
            ])
    }
}

extension ChatMyRequest {
    /// `0190a1  until 2026-11-27 14:05: I grow tomatoes`
    var row: CommandAnswer.Row {
        CommandAnswer.Row(
            "\(threadID)  until \(LocalTime(until).minute)\(text.afterColon)",
            [
                ("thread", .text(threadID.rawValue)), ("text", text.map { .text($0) }),
                ("since", .integer(since.milliseconds)), ("until", .integer(until.milliseconds)),
            ])
    }
}

extension Date? {
    /// ` until 2026-11-27 14:05,`; empty if there is no end.
    fileprivate var end: String { map { " until \(LocalTime($0).minute)," } ?? "" }
}

extension String? {
    /// `: text`; empty if there is no text.
    fileprivate var afterColon: String { map { ": \($0)" } ?? "" }
}
