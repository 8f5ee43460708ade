import ParleyModel

/// An event of an encrypted layer, as stored in the log and sent between nodes: its position in plain text, which Redis
/// assigns, followed by the token of everything else.
///
///     <epoch> <seq> <date_ms> <n> <token>
struct PlacedToken {
    struct Place: Hashable, Sendable {
        var position: Position
        var milliseconds: Int64
        var messageCount: Int64

        /// The bytes before the token.
        var prefix: [UInt8] {
            Array("\(position.epoch) \(position.seq) \(milliseconds) \(messageCount) ".utf8)
        }
    }

    let place: Place
    let token: [UInt8]

    /// Returns `nil` if the bytes do not have this form; a bare token does not.
    init?(_ payload: [UInt8]) {
        let parts = payload.split(separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5 else { return nil }
        let words = parts[..<4].map { String(decoding: $0, as: UTF8.self) }
        guard let seq = Int64(words[1]), let milliseconds = Int64(words[2]), let count = Int64(words[3]) else {
            return nil
        }
        place = Place(
            position: Position(epoch: Epoch(words[0]), seq: seq), milliseconds: milliseconds, messageCount: count)
        token = Array(parts[4])
    }
}
