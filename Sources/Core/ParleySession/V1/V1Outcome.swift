package import ParleyModel

/// The result of a command that the owner has carried out.
package enum V1Outcome: Hashable, Sendable {
    case done
    /// The command concerned this thread and changed nothing: the room was joined or left before.
    case thread(ThreadID)
    /// The command was appended to a log.
    case entered(Receipt)
}
