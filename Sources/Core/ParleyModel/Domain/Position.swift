/// A position in the log of one thread.
package struct Position: Hashable, Sendable {
    /// The epoch, which changes only when the thread's seqs had to start over.
    package var epoch: Epoch
    /// 1, 2, 3 … without gaps within an epoch.
    package var seq: Int64

    package init(epoch: Epoch, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// The largest accepted distance of an announcement on the bus above the known log. It corresponds to 5 s of 20,000 events
    /// per second in one thread, more than a node misses between two announcements without reading the log.
    package static let reach: Int64 = 100_000
}

/// An opaque short string. Positions are comparable if their epochs are equal.
package struct Epoch: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Makes an epoch that the thread has never had.
    package static func make(using generator: inout some RandomNumberGenerator) -> Epoch {
        let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return Epoch(String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }))
    }

    /// The epoch for events whose seqs in this epoch turn out to belong to other events. Every process computes the same
    /// successor, so that storing the events again changes nothing.
    package var successor: Epoch { Epoch(String(FNV1a128.hex(of: "after \(text)").suffix(8))) }

    package var description: String { text }
}

/// The end of a thread's log.
package struct ThreadHead: Hashable, Sendable {
    package var position: Position
    /// The date of the newest event in Unix milliseconds.
    package var milliseconds: Int64
    /// The number of messages in the log.
    package var messageCount: Int64

    package init(position: Position, milliseconds: Int64, messageCount: Int64) {
        self.position = position
        self.milliseconds = milliseconds
        self.messageCount = messageCount
    }
}
