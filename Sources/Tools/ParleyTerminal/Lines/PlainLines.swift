/// The lines of `parley chat --plain`: one for each message, and one for each relevant change of it.
package enum PlainLines {
    /// - Returns: `nil` for a change that is not printed: the user's own messages before acceptance, and delivery
    ///   states.
    package static func change(_ change: PrintedMessages.Change) -> String? {
        switch change {
        case .appeared(let message): return message.seq == nil ? nil : line(message)
        case .changed(let old, let new):
            guard new.seq != nil else { return nil }
            let isNew = old.seq == nil
            let isVisible =
                old.text != new.text || old.parts != new.parts || old.isDeleted != new.isDeleted
                || old.isEdited != new.isEdited || old.reactions != new.reactions
            return isNew || isVisible ? line(new) : nil
        case .removed: return nil
        }
    }

    /// `14:03:59 alice: Hello (edited)`
    package static func line(_ message: ShownMessage) -> String {
        let name = SafeText.name(message.senderLabel)
        if message.isDeleted { return "\(message.time.precise) \(name): (deleted)" }
        var notices: [String] = []
        if message.isEdited { notices.append("edited") }
        if !message.reactions.isEmpty {
            notices.append(message.reactions.map { "\(SafeText.line($0.emoji)) \($0.count)" }.joined(separator: ", "))
        }
        let suffix = notices.map { " (\($0))" }.joined()
        return "\(message.time.precise) \(name): \(SafeText.marked(message.content))\(suffix)"
    }

    /// `2026-11-23 14:03:59 alice: Hello`, for search results.
    package static func dated(_ message: ShownMessage) -> String { "\(message.time.date) \(line(message))" }
}
