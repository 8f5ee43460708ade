import Foundation

/// Who the server runs as: PostgreSQL refuses to run as root, so root's tests run it as the user `postgres`.
struct PostgresOwner {
    /// There is no user `postgres`.
    struct Unknown: Error {}

    private struct Account {
        var user: uid_t
        var group: gid_t
    }

    /// `nil`: as ourselves.
    private let account: Account?

    static func current() throws -> PostgresOwner {
        guard geteuid() == 0 else { return PostgresOwner(account: nil) }
        guard let entry = getpwnam("postgres") else { throw Unknown() }
        return PostgresOwner(account: Account(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid))
    }

    /// Makes `path` the server's own.
    func take(_ path: String) throws {
        guard let account else { return }
        guard chown(path, account.user, account.group) == 0 else { throw POSIXError(.EPERM) }
    }

    /// The command that runs `program` as the owner.
    ///
    /// On Linux a change of user forgets the signal for the parent's death, so it is asked for again: SIGQUIT, at which
    /// the server ends at once and frees its shared memory.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        guard let account else { return [program] + arguments }
        return [
            "setpriv", "--reuid", "\(account.user)", "--regid", "\(account.group)", "--clear-groups",
            "setpriv", "--pdeathsig", "QUIT", program,
        ] + arguments
    }
}
