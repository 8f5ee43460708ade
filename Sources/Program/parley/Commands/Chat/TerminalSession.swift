import ParleyClient
import Synchronization

/// A user's session with a server: the token, where it is kept, and how to get another one.
///
/// What changes is protected by a mutex.
final class TerminalSession: Sendable {
    /// Where the token is from.
    enum Source: Hashable, Sendable {
        /// A login of this or an earlier run, so it is the user's.
        case login
        /// The environment: another login gives no other token, and it may be anybody's.
        case environment
    }

    private struct State {
        var token: String
        /// Whether the token is the user's; `nil` until the server was asked.
        var isOwn: Bool?
        /// The user that the token belongs to, if it is another one.
        var owner: String?
    }

    let server: ChatServer
    let user: String
    /// Where the session and the messages are kept; `nil` for nowhere.
    let folder: ChatFolder?
    private let login: ChatLogin
    private let source: Source
    /// `nil` if it is not known in this run.
    private let password: String?
    private let state: Mutex<State>

    init(
        user: String, folder: ChatFolder?, token: String, password: String?, source: Source, login: ChatLogin
    ) {
        server = login.server
        self.user = user
        self.folder = folder
        self.password = password
        self.source = source
        self.login = login
        state = Mutex(State(token: token, isOwn: source == .login ? true : nil))
    }

    /// Whether the user can log in again, by being asked for the password.
    var isRenewable: Bool { source == .login && password == nil }

    /// The token; when it is refused and the password is known, that of a new session.
    var provider: CredentialProvider {
        { [self] reason in
            if reason == .connection { return try await isOwn() ? .bearer(state.withLock { $0.token }) : nil }
            guard let password, source == .login else { return nil }
            do {
                let fresh = try await login.logIn(user, password)
                state.withLock { $0.token = fresh }
                try folder?.keep(token: fresh)
                return .bearer(fresh)
            } catch is ChatLogin.Refused {
                return nil
            }
        }
    }

    /// Asks the server once whose token of the environment it is, before anything is sent or received with it.
    private func isOwn() async throws -> Bool {
        let (known, token) = state.withLock { ($0.isOwn, $0.token) }
        if let known { return known }
        do {
            let owner = try await ChatAccount(server: server.url).user(of: .bearer(token))
            let isOwn = [owner.username, owner.id.rawValue].contains(user)
            state.withLock { state in
                state.isOwn = isOwn
                state.owner = isOwn ? nil : owner.username
            }
            return isOwn
        } catch ChatError.unauthorized {
            // The handshake says so.
            return true
        } catch ChatError.refused(let code, _) where ![.rateLimited, .unavailable].contains(code) {
            return true
        }
    }

    /// Removes a token that is no longer valid.
    func forget() {
        if source == .login { login.folder(of: user).removeToken() }
    }

    /// The reason that the session has ended, and what to do about it.
    func explanation(of reason: LogoutReason) -> String {
        if let owner = state.withLock({ $0.owner }) {
            return "the token in PARLEY_CHAT_TOKEN is that of \(owner), not of \(user)"
        }
        guard reason == .refused, password != nil, source == .login else { return reason.explanation }
        return reason.explanation + ", and the password is refused"
            + (login.signsUp ? "" : "; --sign-up creates an account that is gone")
    }
}
