import ParleyModel

/// A send that has not gone to the log yet.
struct WaitingSend: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case thread(ThreadID)
        case peer(name: String)
        /// Looked up.
        case member(Membership)
    }

    let number: UInt32
    var target: Target
    let text: String
}
