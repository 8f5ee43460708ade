import ParleyModel

extension StoreOutcome {
    /// The seq at which the event is stored; `nil` if it is not.
    var seq: Int64? {
        switch self {
        case .stored(let seq), .repeated(let seq): seq
        case .marked, .rejected, .dropped: nil
        }
    }
}
