import ParleyModel

/// A send that is not in flight to the log.
struct WaitingSend: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case thread(ThreadID)
        case peer(name: String)
        /// Looked up; the membership at that time.
        case member(Membership)
    }

    let number: UInt64
    var target: Target
    let text: String
    /// Set after the first attempt.
    var id: MessageID?
    /// Whether its token has been taken: a send is charged once, however often it is tried.
    var isCharged = false

    var needsLookUp: Bool {
        if case .member = target { false } else { true }
    }
}
