package import ParleyModel
import ParleyStorage

/// The rows of the tables, with the columns of PostgreSQL's schema that a port can notice.
package struct UserRow: Sendable {
    package let id: UserID
    package var name: String
    package var passwordHash: String?
    package var erased: Int64?
    package var displayName: String?
    package var avatarURL: String?
    package var credentialsVersion: Int64 = 0
    package var operatorSince: Int64?
    package var suspension: SuspensionRow?
    package let origin: AccountOrigin?
    /// The keys of the name's look; empty for an erased user.
    package var looks: [String]

    package var user: User { User(id: id, name: name) }
    /// The display name, unless it equals the username.
    var otherDisplayName: String? { displayName.map(ByteText.init) == ByteText(name) ? nil : displayName }
    package var isPresent: Bool { erased == nil }
    var account: Account { Account(user, suspension: suspension?.suspension) }
}

package struct SuspensionRow: Hashable, Sendable {
    package let suspension: Suspension
    package let author: UserID?
    package let since: Int64
}

package struct SessionRow: Sendable {
    package let user: UserID
    package let expires: Int64
}

package struct DeviceRow: Sendable {
    package let device: PushDevice
    /// The session that the device ends with.
    package let session: TokenHash?
}

package struct ThreadRow: Sendable {
    package let id: ThreadID
    /// `nil` for a direct thread, and for a group without a title of its own.
    package var title: String?
    /// The users of a direct thread in the byte order of their ids; `nil` for a room.
    package let pair: (first: UserID, second: UserID)?
    package var visibility = RoomVisibility.private
    package var history = RoomHistory.all
    package var isGroup = false
    package var details = RoomDetails()
    package var epoch: String?
    package var headSeq: Int64 = 0
    package var headN: Int64 = 0
    package var headMilliseconds: Int64 = 0
    package var lastMessageSeq: Int64?

    package var kind: ThreadInfo.Kind { pair != nil ? .direct : isGroup ? .group : .room }
    /// As those see it who are not one of the pair. `Tables.info` has the title of a group.
    package var info: ThreadInfo { ThreadInfo(id: id, kind: kind, title: title ?? "", visibility: visibility) }

    /// The other user of a direct thread; the same for notes to oneself.
    package func peer(of user: UserID) -> UserID? {
        pair.map { $0.first == user ? $0.second : $0.first }
    }

    package var head: ThreadHead? {
        epoch.map {
            ThreadHead(
                position: Position(epoch: Epoch($0), seq: headSeq), milliseconds: headMilliseconds,
                messageCount: headN)
        }
    }
}

package struct SanctionRow: Sendable {
    package let sanction: Sanction
    package let author: UserID?
    package let since: Int64
}

package struct LinkRow: Sendable {
    package var link: RoomLink
    /// The hash of the code.
    package let code: TokenHash
    /// When the last use was taken; `nil` before.
    package var usedUp: Int64?

    /// When the link has ended, or will end; `nil` if this is not known.
    package var ended: Int64? { [link.until, usedUp].compactMap { $0 }.min() }
}

package struct MemberRow: Sendable {
    package var role: Membership.Role
    package var readSeq: Int64
    /// The number of messages up to `readSeq`; `nil` if that was ahead of the head when it was set.
    package var readN: Int64?
    package let joined: Int64
    /// When the latest mark was made, and the latest one that moved the cursor back.
    package var readMilliseconds: Int64?
    package var readBackMilliseconds: Int64?
    /// As in the column: 0 for everything, a seq, or an outbox entry above `HistoryStart.pending`.
    package var visibleFrom: Int64 = 0
}

package struct MessageRow: Sendable {
    package let seq: Int64
    package let id: MessageID
    package let epoch: String
    package let milliseconds: Int64
    package var n: Int64
    package let sender: UserID
    package var senderName: String
    package var clientID: String?
    package var text: String
    package var parts: String?
    package let replyTo: Int64?
    package var firstText: String?
    package var edited: Int64?
    package var editedSeq: Int64?
    package var deleted: Int64?
    package var isErased: Bool
    package var laterClientID: String?
    package var digest: [UInt8]?

    package var isGone: Bool { deleted != nil || isErased }
}

package struct EventRow: Sendable {
    package let seq: Int64
    /// The seq that the log assigned.
    package let logSeq: Int64
    package let epoch: String
    package let milliseconds: Int64
    package var n: Int64
    package var fields: EventFields
}

/// A seq that the log has used for content stored at `first`; `nil` for an outbox event.
package struct RepeatRow: Sendable {
    package let epoch: String
    package let message: MessageID?
    package let first: Int64?
}

package struct AttachmentRow: Sendable {
    package var attachment: Attachment
    /// When it may be removed if nothing uses it by then.
    package var due: Int64?
    package var isRemoving = false
}

package struct UseRow: Sendable {
    package let recipient: UserID?
    package let created: Int64
    /// When the use is next looked for in the messages; `nil` once the message is stored.
    package var check: Int64?
}

package struct OutboxRow: Sendable {
    package let id: Int64
    package let thread: ThreadID
    package var kind: String
    package let payload: String
    /// By the database's clock; 0 for an entry that only persisters relay.
    package let created: Int64

    package var entry: OutboxEntry {
        OutboxEntry(id: id, thread: thread, content: OutboxEntry.Content(storedKind: kind, payload: payload))
    }
}

package struct RejectKey: Hashable, Sendable {
    package let partition: Partition
    package let incarnation: String
    package let offset: String
}

package struct RejectRow: Sendable {
    package let reason: String
    package var bytes: [UInt8]
    package let thread: ThreadID?
    package let user: UserID?
    package let message: MessageID?
}

extension ThreadRow {
    init(_ room: NewRoom) {
        self.init(id: room.id, title: room.title, pair: nil, visibility: room.visibility, history: room.history)
    }
}
