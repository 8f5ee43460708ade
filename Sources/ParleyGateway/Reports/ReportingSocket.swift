import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// A socket that can tell operators of itself. Asked on its event loop.
protocol ReportingSocket: RosterMember {
    var credential: String { get }
    var address: String { get }
    /// Seconds since anything last came from the client.
    var silentSeconds: Int64 { get }
    var waitingBytes: Int { get }
    /// What was left out, by thread.
    var behind: [ThreadID: ClosedRange<Int64>] { get }
}

extension ReportingSocket {
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - progress: how far the node is in the threads that are asked for and that the user is in.
    func report(of user: User, at now: Int64, _ progress: [(thread: ThreadID, position: Position?)]) -> SocketReport {
        let behind = behind
        return SocketReport(
            connection: connection.text, user: user, dialect: "\(encoding.dialect)", credential: credential,
            address: address, connected: connection.milliseconds ?? 0,
            lastSeen: now - silentSeconds * 1000, waitingBytes: waitingBytes,
            places: progress.map { .init(thread: $0.thread, position: $0.position, behind: behind[$0.thread]) })
    }
}

extension SocketHandler: ReportingSocket {
    var credential: String {
        switch identity.credential {
        case .session: "session"
        case .jwt: "jwt"
        case .password: "password"
        case .apiKey: "api_key"
        case .ticket: "ticket"
        }
    }

    var silentSeconds: Int64 {
        guard let eventLoop else { return 0 }
        return max(0, HeartbeatWheel.seconds(eventLoop) - lastSign)
    }

    var behind: [ThreadID: ClosedRange<Int64>] { (self as? V1SocketHandler)?.session.behind ?? [:] }
}

extension LineHandler: ReportingSocket {
    var address: String { context?.remoteAddress?.ipAddress ?? "" }
    var credential: String { "guest" }
    var silentSeconds: Int64 { max(0, (NIODeadline.now() - lastRead).nanoseconds / 1_000_000_000) }
    var waitingBytes: Int { context?.waitingBytes ?? 0 }
    var behind: [ThreadID: ClosedRange<Int64>] { [:] }
}
