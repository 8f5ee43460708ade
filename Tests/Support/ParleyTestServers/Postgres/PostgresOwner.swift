import Foundation

/// The account that runs the server. PostgreSQL refuses to run as root, so root's tests run it as the user `postgres`.
struct PostgresOwner {
    /// There is no user `postgres`.
    struct Unknown: Error {}

    private struct Account {
        var user: uid_t
        var group: gid_t
    }

    /// `nil` for the current user.
    private let account: Account?

    static func current() throws -> PostgresOwner {
        guard geteuid() == 0 else { return PostgresOwner(account: nil) }
        guard let entry = getpwnam("postgres") else { throw Unknown() }
        return PostgresOwner(account: Account(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid))
    }

    /// Makes the account the owner of `path`.
    func take(_ path: String) throws {
        guard let account else { return }
        guard chown(path, account.user, account.group) == 0 else { throw POSIXError(.EPERM) }
    }

    /// The command that runs `program` as the owner.
    ///
    /// On Linux a change of user resets the parent-death signal, so it is set again: SIGQUIT, on which the server ends
    /// at once and releases its shared memory.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        guard let account else { return [program] + arguments }
        return [
            "setpriv", "--reuid", "\(account.user)", "--regid", "\(account.group)", "--clear-groups",
            "setpriv", "--pdeathsig", "QUIT", program,
        ] + arguments
    }
}
