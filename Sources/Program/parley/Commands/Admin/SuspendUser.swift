import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin suspend`
struct SuspendUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend a user from the whole site.",
        discussion: """
            A suspended user cannot log in, send requests, or open sockets, whatever the credentials. Open sockets close \
            within seconds. Memberships, messages and sessions stay. Without --seconds, this lasts until end-suspension. \
            An earlier suspension of the user is replaced.
            """)

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @Option(help: "Time until it ends, in seconds: 1 to \(Sanction.longestSeconds) (default: no end).")
    var seconds: Int64?

    @Option(help: "Reason, which the user can read: 1 to \(Sanction.reasonScalars) characters.")
    var reason: String?

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            let request = try SuspensionRequest(seconds: seconds, reason: reason)
            print(try await messaging.suspend(user, request, by: .commandLine).line)
        }
    }
}

/// `parley admin end-suspension`
struct EndSuspension: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the suspension of a user before its time.",
        discussion: "The change applies within seconds. The user's sessions are valid again, unless they have expired.")

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            try await messaging.endSuspension(of: user, by: .commandLine)
            print("\(user.id)\t\(user.name)\tended")
        }
    }
}

/// `parley admin suspensions`
struct ListSuspensions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspensions",
        abstract: "List the suspensions in force, one per line: ID and name of the user, end, reason.")

    @OptionGroup var flags: DatabaseFlags

    private static let pageSize = 200

    func run() async throws {
        try await flags.withMessaging { messaging in
            var user: UserID?
            repeat {
                let page = try await messaging.suspensions(after: user, limit: Self.pageSize, by: .commandLine)
                for record in page.elements { print(record.line) }
                user = page.last?.user.id
            } while user != nil
        }
    }
}

extension SuspensionRecord {
    /// `0190c2`, `bob`, `2026-11-27T14:05:00Z` and `spam`, separated by tabs.
    fileprivate var line: String {
        let end = suspension.until.map { CivilTime.rfc3339(milliseconds: $0) } ?? "no end"
        return "\(user.id)\t\(user.name)\t\(end)" + (suspension.reason.map { "\t\($0)" } ?? "")
    }
}
