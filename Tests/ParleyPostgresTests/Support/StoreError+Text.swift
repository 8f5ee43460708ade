import ParleyModel

extension StoreError {
    /// What it says, if it says anything.
    var text: String {
        switch self {
        case .unavailable(let text), .failed(let text): text
        case .taken: ""
        }
    }

    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}
