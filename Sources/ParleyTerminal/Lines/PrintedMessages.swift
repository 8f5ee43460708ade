/// What was printed of a thread's messages, so that each state of a message is printed once.
///
/// It holds the messages of the newest snapshot, and those that were sent since.
package struct PrintedMessages: Sendable {
    /// What is to be printed.
    package enum Change: Hashable, Sendable {
        case appeared(ShownMessage)
        case changed(from: ShownMessage, to: ShownMessage)
        /// The message is gone: discarded before it was accepted, or lost by the server.
        case removed(ShownMessage)
    }

    private var known: [String: ShownMessage] = [:]
    private var order: [String] = []
    /// Sent, and in no snapshot yet.
    private var sent: Set<String> = []

    package init() {}

    /// A message that the user has just sent; `nil` if a snapshot was faster.
    package mutating func note(_ message: ShownMessage) -> Change? {
        guard known[message.id] == nil else { return nil }
        known[message.id] = message
        sent.insert(message.id)
        return .appeared(message)
    }

    /// A snapshot of the newest messages.
    /// - Parameter hasOlder: Whether there are older messages than those in the snapshot.
    package mutating func update(_ messages: [ShownMessage], hasOlder: Bool) -> [Change] {
        // The cache was emptied, and the newest page is being loaded.
        if messages.isEmpty && hasOlder { return [] }
        let current = Set(messages.map(\.id))
        let first = messages.lazy.compactMap(\.seq).first ?? 0
        var changes: [Change] = []
        for id in order where !current.contains(id) {
            guard let message = known.removeValue(forKey: id) else { continue }
            // What lies before the snapshot has only left its window.
            if hasOlder, let seq = message.seq, seq < first { continue }
            changes.append(.removed(message))
        }
        for message in messages {
            if let old = known.updateValue(message, forKey: message.id) {
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

    /// The message that a command names.
    /// - Parameter ownOnly: Whether `last` is the newest message of the user.
    package func message(_ target: MessageTarget, ownOnly: Bool) -> ShownMessage? {
        switch target {
        case .seq(let seq): messages.first { $0.seq == seq }
        case .id(let id): known[id]
        case .last: messages.last { !$0.isDeleted && (!ownOnly || $0.isOwn) }
        }
    }
}
