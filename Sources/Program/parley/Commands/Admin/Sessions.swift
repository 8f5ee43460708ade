import ArgumentParser
import ParleyMessaging
import ParleyModel

/// `parley admin sessions`
struct Sessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List a user's sessions, one for each login, or end one or all.",
        discussion: """
            Prints a line for each session, the newest first: its ID and its expiry. Sockets of an ended session close \
            within seconds. With --end-all, all sockets and tickets of the user end, whatever their credentials.
            """)

    @Argument(help: "Username or ID of the user. The prefix id: or name: selects one of the two.")
    var user: String

    @Option(help: "ID of a session to end.")
    var end: String?

    @Flag(help: "End all sessions.")
    var endAll = false

    @OptionGroup var flags: DatabaseFlags

    private static let pageSize = 200

    func validate() throws {
        if end != nil, endAll { throw ValidationError("--end and --end-all exclude each other") }
        if let end, !AuthSession.isPublicID(end) {
            throw ValidationError("--end must be the ID of a session, 16 digits of 0-9 and a-f")
        }
    }

    func run() async throws {
        try await flags.withMessaging { messaging in
            let user = try await flags.findUser(user, messaging)
            if let end {
                try await messaging.endSession(hashPrefix: end, of: user, by: .commandLine)
                print("\(end)\tended")
            } else if endAll {
                print("\(try await messaging.revokeSessions(of: user, by: .commandLine))\tended")
            } else {
                try await list(user, messaging)
            }
        }
    }

    private func list(_ user: User, _ messaging: Messaging) async throws {
        var place: SessionPlace?
        repeat {
            let page = try await messaging.sessions(
                of: user, after: place, limit: Self.pageSize, for: .commandLine)
            for session in page.elements {
                print("\(session.publicID)\t\(CivilTime.rfc3339(milliseconds: session.expires))")
            }
            place = page.last.map { SessionPlace(expires: $0.expires, hash: $0.tokenHash.text) }
        } while place != nil
    }
}
