import ParleyModel

/// An event of an encrypted layer, as stored in the log and sent between nodes: its position in plain text, which Redis
/// assigns, followed by a token with everything else.
///
///     <epoch> <seq> <date_ms> <n> <token>
package struct PlacedToken {
    package struct Place: Hashable, Sendable {
        var position: Position
        var milliseconds: Int64
        var messageCount: Int64

        /// - Returns: `nil` if no log can contain one of the numbers.
        init?(position: Position, milliseconds: Int64, messageCount: Int64) {
            guard LogBounds.seqs.contains(position.seq), LogBounds.dates.contains(milliseconds),
                LogBounds.seqs.contains(messageCount)
            else { return nil }
            self.position = position
            self.milliseconds = milliseconds
            self.messageCount = messageCount
        }

        /// The bytes before the token.
        var prefix: [UInt8] {
            Array("\(position.epoch) \(position.seq) \(milliseconds) \(messageCount) ".utf8)
        }
    }

    let place: Place
    let token: [UInt8]

    /// Returns `nil` if the bytes do not have this form; a bare token does not.
    /// - Throws: `outOfRange`.
    init?(_ payload: [UInt8]) throws(ChannelsCodecError) {
        let parts = payload.split(separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5 else { return nil }
        let words = parts[..<4].map { String(decoding: $0, as: UTF8.self) }
        guard let seq = Int64(words[1]), let milliseconds = Int64(words[2]), let count = Int64(words[3]) else {
            return nil
        }
        let position = Position(epoch: Epoch(words[0]), seq: seq)
        guard let place = Place(position: position, milliseconds: milliseconds, messageCount: count) else {
            throw .outOfRange
        }
        self.place = place
        token = Array(parts[4])
    }
}
