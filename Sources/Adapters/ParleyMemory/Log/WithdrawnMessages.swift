import DequeModule
package import ParleyModel

/// The messages whose appends are refused; see `SendMemory.withdraw`.
///
/// Bounded by count: the oldest ones are forgotten, which are far older than any append is tried.
package struct WithdrawnMessages: Sendable {
    private static let limit = 10_000

    private var ids: Set<MessageID> = []
    private var ages = Deque<MessageID>()

    package mutating func insert(_ id: MessageID) {
        guard ids.insert(id).inserted else { return }
        ages.append(id)
        if ages.count > Self.limit, let oldest = ages.popFirst() { ids.remove(oldest) }
    }

    /// Whether the draft may not be appended.
    package func contains(_ draft: EventDraft) -> Bool {
        guard !ids.isEmpty, let message = draft.message else { return false }
        return ids.contains(message.id)
    }
}

extension LogCore {
    /// Withdraws a message.
    /// - Returns: whether that is decided; `false` if the store is just being given the message.
    package mutating func withdraw(_ id: MessageID, from thread: ThreadID) -> Bool {
        withdrawn.insert(id)
        // An event that is accepted at once is in the log already.
        guard settings.acceptance == .whenStored else { return true }
        return !queues[PartitionMap.number(of: thread, count: queues.count)].contains(id)
    }

    /// Refuses a draft that was withdrawn before it got a number.
    /// - Returns: whether it was.
    mutating func refuseWithdrawn(_ draft: EventDraft, _ key: IdempotencyKey?, as request: AppendID) -> Bool {
        guard withdrawn.contains(draft) else { return false }
        refuse(
            IngestQueue.Element(
                event: LogEvent(
                    thread: draft.thread, position: Position(epoch: epoch, seq: 0), milliseconds: 0, messageCount: 0,
                    body: draft.body),
                request: request, key: key), .unavailable("the send took too long"))
        return true
    }
}
