import ParleyModel

extension StoreOutcome {
    /// Where the store has the event; `nil` if it has not.
    var seq: Int64? {
        switch self {
        case .stored(let seq), .repeated(let seq): seq
        case .marked, .rejected, .dropped: nil
        }
    }
}
