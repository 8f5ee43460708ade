/// How many bytes of a file one request carries: as many as the network delivers in about a second. A piece is what a cut
/// can lose, and what is in memory.
package struct PieceSize: Hashable, Sendable {
    /// The bounds, in bytes.
    package static let bounds = 65_536...4_194_304

    package private(set) var bytes = 262_144

    package init() {}

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
