import Foundation
import ParleyClient
import ParleyTerminal

extension ChatClient {
    /// Performs a command of a moderator.
    /// - Returns: The confirmation for the user.
    func perform(_ command: SanctionCommand, in thread: ChatThread.ID) async throws -> String {
        switch command {
        case .mute(let user, let duration, let reason):
            return try await mute(user, in: thread, for: duration, reason: reason).line
        case .ban(let user, let duration, let reason):
            return try await ban(user, in: thread, for: duration, reason: reason).line
        case .unmute(let user):
            try await endMute(of: user, in: thread)
            return "\(user) is no longer muted."
        case .unban(let user):
            try await endBan(of: user, in: thread)
            return "\(user) is no longer banned."
        }
    }
}

extension ChatSanction {
    /// `bob  muted until 2026-11-27 14:05: spam`
    var line: String {
        let state =
            switch kind {
            case .mute: "muted"
            case .ban: "banned"
            case .other: "sanctioned"
            }
        let end = until.map { LocalTime($0) }.map { " until \($0.date) \($0.clock)" } ?? ""
        return "\(user.username)  \(state)\(end)" + (reason.map { ": \($0)" } ?? "")
    }
}
