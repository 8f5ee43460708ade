import ParleyJSON

/// The lines of `parley chat --json`: one JSON object each.
package enum JSONLines {
    package static func state(_ name: String, reason: String?) -> String {
        line([
            ("type", .text("state")), ("state", .text(name)), ("reason", reason.map { .text($0) }),
        ])
    }

    package static func thread(_ id: String, title: String, kind: String) -> String {
        line([("type", .text("thread")), ("id", .text(id)), ("title", .text(title)), ("kind", .text(kind))])
    }

    /// Returns the line for the user's own mute; `nil` for one that has ended.
    package static func mute(_ mute: ShownMute?, in thread: String) -> String {
        line([
            ("type", .text("mute")), ("thread", .text(thread)), ("muted", .bool(mute != nil)),
            ("until", mute?.milliseconds.map { .integer($0) }), ("reason", mute?.reason.map { .text($0) }),
        ])
    }

    /// Returns the line for the reason that the user may not write, besides a mute; `nil` if they may again.
    package static func hindrance(_ hindrance: ShownHindrance?, in thread: String) -> String {
        line([
            ("type", .text("hindrance")), ("thread", .text(thread)), ("reason", hindrance.map { .text($0.rawValue) }),
        ])
    }

    package static func change(_ change: PrintedMessages.Change) -> String {
        switch change {
        case .appeared(let message), .changed(_, let message): self.message(message)
        case .removed(let message):
            line([("type", .text("removed")), ("thread", .text(message.thread)), ("id", .text(message.id))])
        }
    }

    package static func message(_ message: ShownMessage) -> String {
        line([("type", .text("message"))] + fields(message))
    }

    /// Returns the line for a search result.
    package static func found(_ message: ShownMessage) -> String {
        line([("type", .text("found"))] + fields(message))
    }

    /// Returns the line for the end of the search results.
    package static func searched(_ words: String, hasMore: Bool) -> String {
        line([("type", .text("searched")), ("words", .text(words)), ("has_more", .bool(hasMore))])
    }

    /// Returns the line for a value of a command's answer.
    /// - Parameter number: The number of the command's line of standard input.
    package static func answer(line number: Int, _ row: CommandAnswer.Row) -> String {
        line([("type", .text("answer")), ("line", .integer(Int64(number)))] + row.fields)
    }

    /// Returns the line for the end of a command's answer.
    package static func answered(line number: Int, count: Int) -> String {
        line([("type", .text("answered")), ("line", .integer(Int64(number))), ("count", .integer(Int64(count)))])
    }

    /// Returns the line for a command that failed.
    package static func error(line number: Int, _ reason: String) -> String {
        line([("type", .text("error")), ("line", .integer(Int64(number))), ("reason", .text(reason))])
    }

    private static func fields(_ message: ShownMessage) -> [(String, JSONTree?)] {
        var (reason, retryable): (String?, Bool?) = (nil, nil)
        if case .failed(let error, let isRetryable) = message.state { (reason, retryable) = (error, isRetryable) }
        var change: String?
        switch message.change {
        case .edit: change = "edit"
        case .deletion: change = "deletion"
        case .failed(let error): (change, reason) = ("failed", error)
        case nil: break
        }
        let reactions = message.reactions.map { reaction in
            JSONTree.ordered([
                ("emoji", .text(reaction.emoji)), ("count", .integer(Int64(reaction.count))),
                ("own", .bool(reaction.isOwn)),
            ])
        }
        return [
            ("thread", .text(message.thread)), ("id", .text(message.id)), ("seq", message.seq.map(integer)),
            ("client_id", message.clientID.map { .text($0) }), ("sender", .text(message.sender)),
            ("sender_display_name", message.senderDisplayName.map { .text($0) }),
            ("sender_id", .text(message.senderID)), ("own", .bool(message.isOwn)),
            ("date", .integer(message.milliseconds)), ("text", .text(message.text)),
            ("parts", message.parts.isEmpty ? nil : .array(message.parts.map(part))),
            ("state", .text(message.state.name)), ("reason", reason.map { .text($0) }),
            ("retryable", retryable.map { .bool($0) }), ("change", change.map { .text($0) }),
            ("deleted", .bool(message.isDeleted)), ("edited", .bool(message.isEdited)),
            ("reply_to", message.replyTo.map(integer)), ("reactions", reactions.isEmpty ? nil : .array(reactions)),
        ]
    }

    private static func integer(_ number: Int) -> JSONTree { .integer(Int64(number)) }

    private static func part(_ part: ShownPart) -> JSONTree {
        let fields: [(String, JSONTree?)] =
            switch part {
            case .text(let text): [("kind", .text("text")), ("text", .text(text))]
            case .file(let kind, let name, let url, let mediaType, let size):
                [
                    ("kind", .text(kind)), ("name", name.map { .text($0) }), ("url", .text(url)),
                    ("media_type", .text(mediaType)), ("size", size.map(integer)),
                ]
            case .location(let latitude, let longitude):
                [("kind", .text("location")), ("latitude", .number(latitude)), ("longitude", .number(longitude))]
            case .other: [("kind", .text("other"))]
            }
        return object(fields)
    }

    private static func object(_ fields: [(String, JSONTree?)]) -> JSONTree {
        .ordered(fields.compactMap { key, value in value.map { (key, $0) } })
    }

    private static func line(_ fields: [(String, JSONTree?)]) -> String {
        escaped(object(fields).canonical)
    }

    /// Escapes control characters. JSON requires escapes only for C0, but terminals also act on others. Those occur
    /// only inside strings, so escaping them makes the lines safe to display without a loss.
    static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: isUnsafe) else { return json }
        var result = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            guard isUnsafe(scalar) else {
                result.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
            result.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
        }
        return String(result)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x7F: false
        case 0x7F..<0xA0, 0x2028, 0x2029: true
        case 0x1_0000...: false
        default: scalar.properties.isBidiControl
        }
    }
}
