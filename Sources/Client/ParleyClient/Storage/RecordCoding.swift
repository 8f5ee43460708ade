import Foundation
import ParleyJSON

extension ThreadRecord {
    /// The stored form of the record.
    var json: JSONTree {
        let receipts = receipts.map { user, receipt in
            JSONTree.Member(
                user.rawValue,
                .array([
                    .integer(Int64(receipt.seq)), .integer(receipt.date.milliseconds / 1000),
                ]))
        }
        return .object([
            "title": .text(title), "kind": .text(kind.rawValue), "role": .text(role.rawValue), "epoch": .text(epoch),
            "visibility": .text(visibility.rawValue),
            "seq": .integer(Int64(seq)), "target": .integer(Int64(target)), "cache": .bool(hasCache),
            "unread": .integer(Int64(unread)), "read": .integer(Int64(readSeq)),
            "counted": .integer(Int64(countedSeq)), "pending_read": pendingRead.map { .integer(Int64($0)) },
            "activity": .integer(activity), "receipts": receipts.isEmpty ? nil : .object(receipts),
            "mute": mute?.json, "room": room == ServerFrame.RoomFields() ? nil : room.json,
        ])
    }

    init(id: String, _ tree: JSONTree) {
        self.init(
            ServerFrame.ThreadFields(
                id: id, title: tree["title"]?.text ?? id,
                kind: tree["kind"]?.text.flatMap { ChatThread.Kind(rawValue: $0) } ?? .other,
                role: tree["role"]?.text.flatMap { ChatRole(rawValue: $0) } ?? .other,
                epoch: tree["epoch"]?.text ?? "", seq: tree["seq"]?.place ?? 0, unread: tree["unread"]?.count ?? 0,
                readSeq: tree["read"]?.place ?? 0,
                visibility: tree["visibility"]?.text.flatMap { ChatVisibility(rawValue: $0) } ?? .other,
                mute: tree["mute"].flatMap { ServerFrame.Mute($0) },
                room: tree["room"].flatMap { ServerFrame.RoomFields($0) } ?? ServerFrame.RoomFields()))
        target = tree["target"]?.place ?? seq
        hasCache = tree["cache"]?.flag ?? false
        countedSeq = tree["counted"]?.place ?? seq
        pendingRead = tree["pending_read"]?.place
        activity = tree["activity"]?.milliseconds ?? 0
        for pair in tree["receipts"]?.pairs ?? [] {
            guard let values = pair.value.elements, values.count == 2, let seq = values[0].place,
                let date = values[1].double
            else { continue }
            receipts[ChatUser.ID(pair.key)] = ReadReceipt(seq: seq, date: Date(timeIntervalSince1970: date))
        }
    }
}

extension ChatDraft {
    var json: JSONTree {
        .object([
            "text": .text(text), "parts": parts.isEmpty ? nil : .array(parts.map(\.json)),
            "reply_to": replyTo.map { .integer(Int64($0)) },
        ])
    }

    init(_ tree: JSONTree) {
        self.init(
            tree["text"]?.text ?? "", parts: (tree["parts"]?.elements ?? []).map { ChatPart($0) },
            replyTo: tree["reply_to"]?.place)
    }
}

extension ClientOutboxEntry {
    /// The stored form of the entry, without ID, thread and ordinal.
    var json: JSONTree {
        var members: [JSONTree.Member] = [
            .init("ms", .integer(milliseconds)), .init("sent", .bool(wasSent)), .init("stored", .bool(isStored)),
        ]
        switch content {
        case .message(let draft):
            members.append(.init("message", draft.json))
            if !files.isEmpty { members.append(.init("files", .array(files.map(\.json)))) }
        case .edit(let target, let text):
            members += [.init("edit", .text(text)), .init("target", target.json)]
        case .deletion(let target): members += [.init("delete", .bool(true)), .init("target", target.json)]
        case .reaction(let target, let emoji, let isOn):
            members += [.init("react", .text(emoji)), .init("on", .bool(isOn)), .init("target", target.json)]
        }
        if let receipt {
            members += [
                .init("seq", .integer(Int64(receipt.seq))), .init("date", .integer(receipt.milliseconds)),
            ]
            if let id = receipt.messageID { members.append(.init("message_id", .text(id))) }
        }
        if let failure {
            members += [
                .init("failed", .text(failure.code.rawValue)), .init("reason", .text(failure.message)),
                .init("retryable", .bool(failure.isRetryable)),
            ]
        }
        return .object(members)
    }

    init?(id: String, thread: String, ordinal: Int, _ tree: JSONTree) {
        let target = tree["target"].map { Target($0) }
        let content: Content
        if let draft = tree["message"] {
            content = .message(ChatDraft(draft))
        } else if let text = tree["edit"]?.text, let target {
            content = .edit(target, text: text)
        } else if tree["delete"] != nil, let target {
            content = .deletion(target)
        } else if let emoji = tree["react"]?.text, let target {
            content = .reaction(target, emoji: emoji, isOn: tree["on"]?.flag ?? false)
        } else {
            return nil
        }
        self.init(
            id: id, thread: thread, ordinal: ordinal, content: content, milliseconds: tree["ms"]?.integer ?? 0)
        files = (tree["files"]?.elements ?? []).map { OutboxFile($0) }
        wasSent = tree["sent"]?.flag ?? false
        isStored = tree["stored"]?.flag ?? false
        if let seq = tree["seq"]?.place {
            receipt = Receipt(
                seq: seq, messageID: tree["message_id"]?.text, milliseconds: tree["date"]?.integer ?? milliseconds)
        }
        if let code = tree["failed"]?.text {
            failure = Failure(
                code: ServerErrorCode(rawValue: code) ?? .other, message: tree["reason"]?.text ?? "",
                isRetryable: tree["retryable"]?.flag ?? false)
        }
        self = kept
    }
}

extension ChatNotice {
    /// The stored form of the notice, without thread and `seq`.
    var json: JSONTree {
        var members: [JSONTree.Member] = [
            .init("ms", .integer(date.milliseconds))
        ]
        if let byUserID { members.append(.init("by", .text(byUserID.rawValue))) }
        switch kind {
        case .joined(let user):
            members += [.init("joined", .text(user.id.rawValue)), .init("name", .text(user.username))]
        case .left(let user): members += [.init("left", .text(user.id.rawValue)), .init("name", .text(user.username))]
        case .renamed(let title): members.append(.init("title", .text(title)))
        case .visibilityChanged(let visibility): members.append(.init("visibility", .text(visibility.rawValue)))
        case .roleChanged(let user, let role):
            members += [.init("user", .text(user.rawValue)), .init("role", .text(role.rawValue))]
        }
        return .object(members)
    }

    init?(thread: String, seq: Int, _ tree: JSONTree) {
        let kind: Kind
        if let id = tree["joined"]?.text {
            kind = .joined(ChatUser(id: ChatUser.ID(id), username: tree["name"]?.text ?? id))
        } else if let id = tree["left"]?.text {
            kind = .left(ChatUser(id: ChatUser.ID(id), username: tree["name"]?.text ?? id))
        } else if let title = tree["title"]?.text {
            kind = .renamed(title: title)
        } else if let visibility = tree["visibility"]?.text {
            kind = .visibilityChanged(ChatVisibility(rawValue: visibility) ?? .other)
        } else if let user = tree["user"]?.text, let role = tree["role"]?.text {
            kind = .roleChanged(userID: ChatUser.ID(user), role: ChatRole(rawValue: role) ?? .other)
        } else {
            return nil
        }
        self.init(
            threadID: ChatThread.ID(thread), seq: seq, date: Date(milliseconds: tree["ms"]?.integer ?? 0),
            byUserID: tree["by"]?.text.map { ChatUser.ID($0) }, kind: kind)
    }
}

extension OutboxFile {
    fileprivate var json: JSONTree {
        .object([
            "name": .text(name), "type": .text(mediaType), "size": .integer(Int64(size)),
            "width": width.map { .integer(Int64($0)) }, "height": height.map { .integer(Int64($0)) },
            "duration_ms": durationMilliseconds.map { .integer(Int64($0)) },
            "attachment": attachment.map { .text($0) }, "complete": .bool(isComplete),
        ])
    }

    fileprivate init(_ tree: JSONTree) {
        self.init(
            name: tree["name"]?.text ?? "", mediaType: tree["type"]?.text ?? "", size: tree["size"]?.int ?? 0,
            width: tree["width"]?.int, height: tree["height"]?.int, durationMilliseconds: tree["duration_ms"]?.int)
        attachment = tree["attachment"]?.text
        isComplete = tree["complete"]?.flag ?? false
    }
}

extension ClientOutboxEntry.Target {
    fileprivate var json: JSONTree {
        .object([
            "seq": seq.map { .integer(Int64($0)) }, "id": messageID.map { .text($0) }, "local": .text(localID),
        ])
    }

    fileprivate init(_ tree: JSONTree) {
        self.init(seq: tree["seq"]?.place, messageID: tree["id"]?.text, localID: tree["local"]?.text ?? "")
    }
}
