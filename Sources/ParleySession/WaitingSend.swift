import ParleyModel

/// A send that has not gone to the log yet.
struct WaitingSend: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case thread(ThreadID)
        case peer(name: String)
        /// Looked up; how the user was in the thread then.
        case member(Membership)
    }

    let number: UInt64
    var target: Target
    let text: String
    /// Set once it was tried.
    var id: MessageID?
    /// Its place in the user's rate is taken: a send is charged once, however often it has to be tried.
    var isPaid = false

    var needsLookUp: Bool {
        if case .member = target { false } else { true }
    }
}
