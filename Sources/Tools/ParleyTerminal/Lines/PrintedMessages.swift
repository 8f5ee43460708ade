/// The printed messages of a thread, so that each state of a message is printed once.
///
/// It contains the messages of the newest snapshot, and the messages sent since.
package struct PrintedMessages: Sendable {
    /// A change to print.
    package enum Change: Hashable, Sendable {
        case appeared(ShownMessage)
        case changed(from: ShownMessage, to: ShownMessage)
        /// The message was discarded before acceptance, or lost by the server.
        case removed(ShownMessage)
    }

    private var known: [String: ShownMessage] = [:]
    private var order: [String] = []
    /// Sent messages that no snapshot contains yet.
    private var sent: Set<String> = []

    package init() {}

    /// Notes a message that the user has just sent. Returns `nil` if a snapshot already contains it.
    package mutating func note(_ message: ShownMessage) -> Change? {
        guard known[message.id] == nil else { return nil }
        known[message.id] = message
        sent.insert(message.id)
        return .appeared(message)
    }

    /// Handles a snapshot of the newest messages.
    /// - Parameter hasOlder: Whether messages before the snapshot exist.
    package mutating func update(_ messages: [ShownMessage], hasOlder: Bool) -> [Change] {
        // The cache was emptied, and the newest page is being loaded.
        if messages.isEmpty && hasOlder { return [] }
        let current = Set(messages.map(\.id))
        let first = messages.lazy.compactMap(\.seq).first ?? 0
        var changes: [Change] = []
        for id in order where !current.contains(id) {
            guard let message = known.removeValue(forKey: id) else { continue }
            // A message before the snapshot has only left its window.
            if hasOlder, let seq = message.seq, seq < first { continue }
            changes.append(.removed(message))
        }
        for message in messages {
            if var old = known.updateValue(message, forKey: message.id) {
                // A new name of the sender changes no message.
                old.senderDisplayName = message.senderDisplayName
                if old != message { changes.append(.changed(from: old, to: message)) }
            } else {
                changes.append(.appeared(message))
            }
        }
        sent.subtract(current)
        order = messages.map(\.id)
        return changes
    }

    /// The messages of the newest snapshot and those sent since, oldest first.
    package var messages: [ShownMessage] {
        order.compactMap { known[$0] } + sent.sorted().compactMap { known[$0] }
    }

    /// Returns the message that a command refers to.
    /// - Parameter ownOnly: Whether `last` is the user's own newest message.
    package func message(_ target: MessageTarget, ownOnly: Bool) -> ShownMessage? {
        switch target {
        case .seq(let seq): messages.first { $0.seq == seq }
        case .id(let id): known[id]
        case .last: messages.last { !$0.isDeleted && (!ownOnly || $0.isOwn) }
        }
    }
}
