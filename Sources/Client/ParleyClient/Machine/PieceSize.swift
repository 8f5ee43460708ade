/// The number of bytes in one request of an upload.
///
/// It adapts to the amount that the network delivers in about a second. An interruption loses at most one piece, and
/// one piece is in memory.
package struct PieceSize: Hashable, Sendable {
    /// The limits in bytes.
    package static let bounds = 65_536...4_194_304

    package private(set) var bytes = 262_144

    /// - Parameter elapsed: How long a request with a piece has taken; `nil` if it has failed.
    package mutating func adapt(to elapsed: Duration?) {
        let wanted =
            switch elapsed {
            case .some(let elapsed) where elapsed < .seconds(1): bytes * 2
            case .some(let elapsed) where elapsed < .seconds(8): bytes
            default: bytes / 2
            }
        bytes = min(max(wanted, Self.bounds.lowerBound), Self.bounds.upperBound)
    }
}
