package import ParleyAccounts
package import ParleyModel

/// A thread that the caller may read. Only `Messaging.access` makes one, and every read of a thread requires it.
package struct ReadableThread: Sendable {
    package let id: ThreadID
    /// The caller and their membership. `nil` for a back end that does not act for a user: it may read every thread and write in none.
    package let member: (caller: Caller, membership: Membership)?

    /// The seq of the first event that the caller sees; above every seq while it is unknown, since nothing that is stored is
    /// visible then.
    package var firstSeq: Int64 { member?.membership.firstSeq ?? 1 }
}

/// An API key that acts for no user. It may read every thread and user, and import.
package struct BackEnd: Sendable {
    /// - Returns: `nil` for a user.
    package init?(_ principal: Principal) {
        guard case .service = principal else { return nil }
    }

    private init() {}

    /// A back end for commands that run on the database of the cluster. Not for listeners.
    package static let commandLine = BackEnd()
}

extension Messaging {
    /// Returns a thread that the principal may read: as one of its members, or as a back end that does not act for a user.
    /// - Throws: The same errors as `membership`.
    package func access(
        to thread: ThreadID, for principal: Principal
    ) async throws(MessagingError) -> ReadableThread {
        switch principal {
        case .user(let identity):
            let caller = Caller(identity)
            return ReadableThread(id: thread, member: (caller, try await membership(of: caller, in: thread)))
        case .service: return ReadableThread(id: try await knownThread(thread).id, member: nil)
        }
    }

    /// Returns the caller's current membership in a thread.
    /// - Throws: `notFound` for an unknown thread and for a direct thread of other users, `notAMember` for other rooms.
    package func membership(of caller: Caller, in thread: ThreadID) async throws(MessagingError) -> Membership {
        switch try await read({ try await access(of: caller.user.id, to: thread) }) {
        case .member(let membership): return membership
        case .nonMember: throw .notAMember
        case .unknown: throw .noThread
        }
    }

    func knownThread(_ thread: ThreadID) async throws(MessagingError) -> ThreadInfo {
        guard let info = try await read({ try await ports.directory.thread(thread) }) else {
            throw .noThread
        }
        return info
    }

    /// Runs a read from a port.
    func read<Value>(_ body: () async throws -> Value) async throws(MessagingError) -> Value {
        do {
            return try await body()
        } catch {
            throw MessagingError(error)
        }
    }
}
