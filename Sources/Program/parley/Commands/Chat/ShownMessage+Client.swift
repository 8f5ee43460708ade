import Foundation
import ParleyClient
import ParleyTerminal

extension ShownMessage {
    /// - Parameter user: The id of the user; `nil` before the first connection.
    init(_ message: ChatMessage, user: ChatUser.ID?) {
        // A message of the outbox has no sender before the user is known.
        let isOwn = message.senderID == user || message.seq == nil
        self.init(
            id: message.id.rawValue, thread: message.threadID.rawValue, seq: message.seq, clientID: message.clientID,
            senderID: message.senderID.rawValue, sender: message.senderName,
            senderDisplayName: message.senderDisplayName, isOwn: isOwn, text: message.text,
            parts: message.parts.map { ShownPart($0) }, replyTo: message.replyTo,
            milliseconds: Int64(exactly: (message.date.timeIntervalSince1970 * 1000).rounded()) ?? 0,
            time: LocalTime(message.date), isEdited: message.editedAt != nil, isDeleted: message.isRemoved,
            reactions: message.reactions.map { reaction in
                ShownReaction(
                    emoji: reaction.emoji, count: reaction.count,
                    isOwn: user.map { reaction.users.contains($0) } ?? false)
            }, state: DeliveryState(message.state), change: message.pendingChange.map { UnconfirmedChange($0) })
    }
}

extension ChatClient {
    /// Messages as the terminal shows them to the user.
    func shown(_ messages: [ChatMessage]) async -> [ShownMessage] {
        let user = await user?.id
        return messages.map { ShownMessage($0, user: user) }
    }
}

extension ShownPart {
    init(_ part: ChatPart) {
        func file(_ kind: String, _ file: ChatFile) -> ShownPart {
            .file(kind: kind, name: file.name, url: file.url, mediaType: file.mediaType, size: file.size)
        }
        self =
            switch part {
            case .text(let text): .text(text)
            case .photo(let photo): file("photo", photo)
            case .video(let video): file("video", video)
            case .file(let other): file("file", other)
            case .location(let place): .location(latitude: place.latitude, longitude: place.longitude)
            case .other: .other
            }
    }
}

extension DeliveryState {
    init(_ state: MessageState) {
        self =
            switch state {
            case .pending: .pending
            case .accepted: .accepted
            case .stored: .stored
            case .failed(let reason, let retryable): .failed(reason: "\(reason)", retryable: retryable)
            }
    }
}

extension UnconfirmedChange {
    init(_ change: PendingChange) {
        self =
            switch change {
            case .edit: .edit
            case .deletion: .deletion
            case .failed(let reason): .failed(reason: "\(reason)")
            }
    }
}

extension ShownMute {
    init(_ mute: ChatMute) {
        self.init(
            milliseconds: mute.until.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) },
            until: mute.until.map { LocalTime($0) }, reason: mute.reason)
    }
}

extension LocalTime {
    init(_ date: Date) {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        localtime_r(&seconds, &parts)
        self.init(
            Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour),
            Int(parts.tm_min), Int(parts.tm_sec))
    }
}

extension ConnectionState {
    /// As JSON lines name it.
    var name: String {
        switch self {
        case .offline: "offline"
        case .connecting: "connecting"
        case .connected: "connected"
        case .loggedOut: "logged_out"
        }
    }
}

extension LogoutReason {
    var explanation: String {
        switch self {
        case .refused: "the session is not valid any more"
        case .revoked: "the session was ended"
        case .stopped(let code): "the server closed the connection with code \(code)"
        case .forbidden: "the server does not admit this client"
        case .otherUser:
            "this is another account than the one whose unsent messages are kept here; use that one's --user, or remove "
                + "its folder in the state directory to give them up"
        }
    }
}
