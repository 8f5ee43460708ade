package import ParleyModel

extension StoreError {
    /// The text of the error, if it has one.
    package var text: String {
        switch self {
        case .unavailable(let text), .failed(let text): text
        case .taken, .noAvatar: ""
        }
    }

    package var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}
