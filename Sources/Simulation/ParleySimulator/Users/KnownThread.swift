package import ParleyClientCore

/// The part of a thread that a user's client has.
package struct KnownThread {
    /// A part of the log that must be loaded.
    package struct Missing: Hashable {
        package var first: Int
        /// `nil` for the end of the log.
        package var last: Int?
        /// The server said that it has sent this part, so that there is nothing in it.
        var isReplayed = false
    }

    /// The newest event.
    var epoch: String
    var seq: Int
    /// The `seq` above which events were received or loaded.
    let begin: Int
    /// The messages by `seq`, as they are after all changes that were seen.
    package private(set) var messages: [Int: StoredMessage] = [:]
    /// Changes that came while something was missing: a page on its way may be older.
    private var lateChanges: [ThreadEvent] = []
    /// To be loaded with `history`, in their order.
    package private(set) var missing: [Missing] = []
    /// The number of times that everything was discarded.
    package private(set) var discards = 0
    /// After `rolled_back`, the next event may be any from this `seq` on.
    var mayContinueFrom: Int?
    /// The log cannot be reached; another `resumed` follows.
    var isUnavailable = false
    /// The newest read mark that the server has acknowledged.
    var readSeq: Int?

    package init(epoch: String, seq: Int) {
        (self.epoch, self.seq, begin) = (epoch, seq, seq)
    }

    /// A live event, or one of a replay.
    mutating func received(_ event: ThreadEvent) {
        apply(event)
        if missing.isEmpty { lateChanges = [] } else { lateChanges.append(event) }
    }

    private mutating func apply(_ event: ThreadEvent) {
        switch event.content {
        case .message(let message): messages[event.seq] = message
        case .edited(let target, let text):
            guard messages[target]?.isDeleted == false else { return }
            messages[target]?.text = text
        case .deleted(let target): messages[target]?.delete()
        case .reaction(let target, let user, let emoji, let isOn):
            messages[target]?.react(emoji, by: user, isOn: isOn)
        case .joined, .left, .renamed, .role, .visibility, .unknown: break
        }
    }

    package mutating func discard() {
        discards += 1
        messages = [:]
        missing = []
        lateChanges = []
    }

    package mutating func miss(_ first: Int, through last: Int?, isReplayed: Bool = false) {
        if let last, last < first { return }
        missing.append(Missing(first: first, last: last, isReplayed: isReplayed))
    }

    /// Applies a page of the first missing part. It includes everything up to its `headSeq`.
    /// - Parameter asked: the `discards` when it was asked for.
    /// - Returns: `false`, without a change, if the page may be of a former numbering.
    package mutating func fetched(_ page: ServerFrame.Page, askedAt asked: Int) -> Bool {
        guard asked == discards else { return false }
        for event in page.events { apply(event) }
        for event in lateChanges where event.seq > page.headSeq {
            if case .message = event.content { continue }
            apply(event)
        }
        guard let part = missing.first else { return true }
        if let newest = page.events.last?.seq, page.hasMoreAfter, newest < part.last ?? .max {
            missing[0].first = newest + 1
        } else {
            missing.removeFirst()
        }
        return true
    }
}
