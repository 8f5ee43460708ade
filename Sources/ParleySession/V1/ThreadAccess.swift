package import ParleyModel

/// What a user is to a thread.
package enum ThreadAccess: Hashable, Sendable {
    /// A member, and live: what happens there from now on is delivered.
    case member(Membership)
    /// The thread is there, and the user is not in it.
    case stranger
    /// There is no such thread.
    case unknown
}
