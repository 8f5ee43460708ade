package import ParleyModel

/// What became of a command that something else than the session has carried out.
package enum V1Outcome: Hashable, Sendable {
    case done
    /// It is about this thread, and changed nothing: a room was joined or left before.
    case thread(ThreadID)
    /// It entered a log.
    case entered(Receipt)
}
