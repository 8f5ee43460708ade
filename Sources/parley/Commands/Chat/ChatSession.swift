import ParleyClient
import Synchronization

/// A user's session with a server: the token, where it is kept, and how to get another one.
///
/// The token is protected by a mutex.
final class ChatSession: Sendable {
    let server: ChatServer
    let user: String
    /// `nil` if nothing is kept.
    let folder: ChatFolder?
    /// `nil` if it is not known in this run.
    private let password: String?
    private let token: Mutex<String>
    /// Whether another login gives another token, which one of the environment does not.
    let isRenewable: Bool

    init(
        server: ChatServer, user: String, folder: ChatFolder?, token: String, password: String?, isRenewable: Bool
    ) {
        self.isRenewable = isRenewable
        self.server = server
        self.user = user
        self.folder = folder
        self.password = password
        self.token = Mutex(token)
    }

    /// The token; when it is refused and the password is known, that of a new session.
    var provider: CredentialProvider {
        { [self] reason in
            if reason == .connection { return .bearer(token.withLock { $0 }) }
            guard let password else { return nil }
            do {
                let account = try ChatAccount(server: server.url)
                guard case .bearer(let fresh) = try await account.logIn(username: user, password: password) else {
                    return nil
                }
                token.withLock { $0 = fresh }
                try folder?.keep(token: fresh)
                return .bearer(fresh)
            } catch ChatError.unauthorized {
                return nil
            }
        }
    }
}
