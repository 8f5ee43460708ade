package import ParleyModel

/// The state of a thread within a batch: read once per batch and written back once at its end.
package struct ThreadState: Hashable, Sendable {
    package private(set) var epoch: String?
    /// The highest seq that the log is known to have used.
    package private(set) var headSeq: Int64
    /// The number of messages.
    package private(set) var headN: Int64
    /// The date of the newest event, in Unix milliseconds.
    package private(set) var headMilliseconds: Int64
    package private(set) var lastMessageSeq: Int64?
    /// The state differs from what was read.
    package private(set) var isChanged = false
    /// The two users of a direct thread, equal for notes to oneself; empty for a room.
    package let pair: Set<String>
    /// Both users of the pair are known to be members, or to have left by an entry that is still in the outbox.
    package var hasPairAsMembers = false

    package init(
        epoch: String?, headSeq: Int64, headN: Int64, headMilliseconds: Int64, lastMessageSeq: Int64?,
        pair: Set<String>
    ) {
        self.epoch = epoch
        self.headSeq = headSeq
        self.headN = headN
        self.headMilliseconds = headMilliseconds
        self.lastMessageSeq = lastMessageSeq
        self.pair = pair
    }

    /// A newly created direct thread.
    package init(pair: Set<String>) {
        self.init(epoch: nil, headSeq: 0, headN: 0, headMilliseconds: 0, lastMessageSeq: nil, pair: pair)
    }

    // MARK: Places

    /// The kind of place for an event that is not stored yet.
    package enum Placing: Hashable, Sendable {
        /// At the end, at this seq.
        case append(at: Int64)
        /// Below the head, at the event's own seq: it arrives late.
        case insert
    }

    /// Decides where an event is stored. If its seq is taken by another event, it is appended: a seq identifies one
    /// event. The caller stores such an event in the `successor` of its epoch.
    /// - Parameter isTaken: whether something is stored at a seq; called only for a seq at or below the head.
    package func placing(
        at seq: Int64, isTaken: () throws -> Bool
    ) throws -> Placing {
        if seq > headSeq { return .append(at: seq) }
        guard try isTaken() else { return .insert }
        let next = headSeq + 1
        guard EventRules.seqs.contains(next) else { throw UnstorableEvent("the thread has no seq left") }
        return .append(at: next)
    }

    /// As `placing(at:isTaken:)`; an event of an epoch that has ended is appended too, above its own seq.
    ///
    /// An event below the head is also appended if the thread has since moved to another epoch. Clients were told that its
    /// seq is void and have read past it, so they would not see it there.
    package func placing(of position: Position, isTaken: () throws -> Bool) throws -> Placing {
        let isBehind = epoch != nil && epoch != position.epoch.text && position.seq <= headSeq
        guard isBehind || hasEnded(position.epoch) else { return try placing(at: position.seq, isTaken: isTaken) }
        let next = max(headSeq, position.seq) + 1
        guard EventRules.seqs.contains(next) else { throw UnstorableEvent("the thread has no seq left") }
        return .append(at: next)
    }

    /// Whether events of an epoch were moved, since their seqs were taken: the thread is in the epoch's successor.
    package func hasEnded(_ other: Epoch) -> Bool {
        epoch != nil && epoch != other.text && epoch == other.successor.text
    }

    /// The place of an event appended at `seq`.
    package func place(of event: LogEvent, at seq: Int64) -> EventPlace {
        EventPlace(
            seq: seq, n: headN + (event.message == nil ? 0 : 1),
            milliseconds: max(event.milliseconds, headMilliseconds))
    }

    // MARK: Changes

    /// Records a position as used by the log, whether or not an event is stored there, so that it is never assigned
    /// again.
    package mutating func noteUsed(_ position: Position) {
        guard position.seq > headSeq else { return }
        // A late event of an epoch that has ended does not bring it back.
        if !hasEnded(position.epoch) { epoch = position.epoch.text }
        headSeq = position.seq
        isChanged = true
    }

    /// Records an event stored at the end.
    package mutating func append(_ event: LogEvent, at place: EventPlace) {
        noteUsed(Position(epoch: event.position.epoch, seq: place.seq))
        headMilliseconds = place.milliseconds
        isChanged = true
        guard event.message != nil else { return }
        headN += 1
        lastMessageSeq = place.seq
    }

    /// Records an event stored below the head. The log may have used seqs at which nothing is stored.
    package mutating func insert(_ event: LogEvent, at place: EventPlace) {
        headMilliseconds = max(headMilliseconds, place.milliseconds)
        isChanged = true
        guard event.message != nil else { return }
        headN += 1
        lastMessageSeq = max(lastMessageSeq ?? 0, place.seq)
    }
}

// MARK: Direct threads

extension ThreadState {
    /// The pair of users that a direct message names; `nil` for a message to a room.
    package static func pair(of message: Message) -> Set<String>? {
        message.recipient.map { [message.sender.id.text, $0.id.text] }
    }

    /// - Throws: `UnstorableEvent` if a direct message is in a thread that is not the direct thread of its two users.
    package func checkPair(of event: LogEvent) throws(UnstorableEvent) {
        guard let message = event.message, let pair = Self.pair(of: message) else { return }
        guard pair == self.pair else {
            throw UnstorableEvent("the thread is not the direct thread of sender and recipient")
        }
    }

    /// The direct thread that an event begins, which is of no thread that there is.
    /// - Throws: `UnstorableEvent` unless it is a direct message in the thread of its two.
    package init(begunBy event: LogEvent) throws(UnstorableEvent) {
        guard let message = event.message, let recipient = message.recipient, let pair = Self.pair(of: message) else {
            throw UnstorableEvent("unknown thread")
        }
        guard event.thread == ThreadInfo.directID(message.sender.id, recipient.id) else {
            throw UnstorableEvent("the thread is not the direct thread of sender and recipient")
        }
        self.init(pair: pair)
    }

    /// Checks that the two participants exist.
    /// - Throws: `UnstorableEvent` unless both participants of a new direct thread are users.
    package func checkUsers(_ areKnown: Bool) throws(UnstorableEvent) {
        guard areKnown else { throw UnstorableEvent("sender or recipient of a direct message is unknown") }
    }
}
