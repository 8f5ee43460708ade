import Foundation
import ParleyClient
import ParleyJSON
import ParleyTerminal

extension ChatClient {
    /// Performs a command about a room or about blocks.
    /// - Parameter thread: The open conversation.
    func perform(_ command: RoomCommand, in thread: ChatThread.ID) async throws -> CommandAnswer {
        switch command {
        case .details:
            let details = try await roomDetails(of: thread)
            return CommandAnswer(await self.thread(thread)?.title ?? "Room", rows: details.rows)
        case .topic(let text): return try await change(thread, ChatRoomChange(topic: text), "The topic is changed.")
        case .description(let text):
            return try await change(thread, ChatRoomChange(description: text), "The description is changed.")
        case .rules(let text): return try await change(thread, ChatRoomChange(rules: text), "The rules are changed.")
        case .slowMode(let seconds):
            let title = seconds == 0 ? "Slow mode is off." : "Members send one message in \(seconds) seconds."
            return try await change(thread, ChatRoomChange(slowSeconds: seconds), title)
        case .archive(let isOn):
            let title = isOn ? "The room is archived." : "The room is open again."
            return try await change(thread, ChatRoomChange(isArchived: isOn), title)
        case .right(let right, let isForEveryone):
            let holder: ChatRights.Holder = isForEveryone ? .everyone : .moderators
            let change =
                switch right {
                case .write: ChatRoomChange(write: holder)
                case .attach: ChatRoomChange(attach: holder)
                case .mention: ChatRoomChange(mention: holder)
                case .add: ChatRoomChange(add: holder)
                }
            return try await self.change(thread, change, "The right \(right.rawValue) is for \(holder.rawValue) now.")
        case .block(let user):
            return CommandAnswer("You block \(try await block(user).user.username).")
        case .unblock(let user):
            try await unblock(user)
            return CommandAnswer("You do not block \(user).")
        case .blocks:
            let rows = try await myBlocks().map(\.row)
            return CommandAnswer(rows.isEmpty ? "You block no one." : "\(rows.count) blocked users", rows: rows)
        }
    }

    private func change(
        _ thread: ChatThread.ID, _ change: ChatRoomChange, _ title: String
    ) async throws -> CommandAnswer {
        try await changeRoom(thread, change)
        return CommandAnswer(title)
    }
}

extension ChatRoomDetails {
    /// A row for each detail that a room has.
    fileprivate var rows: [CommandAnswer.Row] {
        func row(_ name: String, _ value: String?) -> CommandAnswer.Row? {
            value.map { CommandAnswer.Row("\(name): \($0)", [("name", .text(name)), ("value", .text($0))]) }
        }
        let rights = [
            ("write", room.rights.write), ("attach", room.rights.attach), ("mention", room.rights.mention),
            ("add", room.rights.add),
        ]
        let rows = [
            row("topic", room.topic), row("description", description), row("rules", rules),
            row("archived", room.isArchived ? "yes" : nil),
            row("slow", room.slowSeconds > 0 ? "\(room.slowSeconds)s" : nil),
        ]
        return rows.compactMap { $0 } + rights.compactMap { row($0.0, $0.1.rawValue) }
    }
}

extension ChatBlock {
    /// `bob  since 2026-11-27 14:05`
    fileprivate var row: CommandAnswer.Row {
        CommandAnswer.Row(
            "\(user.username)  since \(LocalTime(since).minute)",
            [
                ("user", .text(user.username)), ("user_id", .text(user.id.rawValue)),
                ("since", .integer(since.milliseconds)),
            ])
    }
}

extension ChatThread {
    /// The reason for which the user may not write, besides a mute, as the terminal shows it.
    var shownHindrance: ShownHindrance? {
        switch hindrance {
        case .archived: .archived
        case .blocked: .blocked
        case .moderators: .moderators
        case .readOnly: .readOnly
        case .muted, nil: nil
        }
    }
}
