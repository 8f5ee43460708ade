import Logging
import ParleyAccounts
import ParleyModel

/// The whole room on doubles, with cheap password hashes.
struct World {
    static let secret = Secret(text: "a secret of these tests, 32 bytes or more")

    let clock: TestClock
    let store = TestStore()
    let bus = TestBus()
    let ledger = TestLedger()
    let revocations = TestRevocations()
    let directory: BatchedDirectory
    let services: AccountServices

    init(
        clock: TestClock = TestClock(), djangoSite: (any DjangoDirectory)? = nil, rates: (any RateLedger)? = nil,
        _ change: (inout AccountSettings) -> Void = { _ in }
    ) async throws {
        self.clock = clock
        var settings = AccountSettings(secret: Self.secret)
        settings.passwordIterations = 10
        settings.passwordWorkers = 1
        change(&settings)
        directory = BatchedDirectory(
            store, settings: settings.directory, clock: clock.wall, pause: { _ in await Task.yield() })
        services = try await AccountServices(
            settings: settings, accounts: store, directory: directory, bus: bus, ledger: ledger,
            revocations: revocations, rates: rates, djangoSite: djangoSite, clock: clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A user with the password `correct horse`.
    @discardableResult
    func addUser(_ name: String, id: String? = nil, password: String = "correct horse") -> User {
        let user = User(id: UserID(trusted: id ?? "id-of-\(name)"), name: name)
        let hash = PasswordHasher(iterations: 10).hash(password)
        store.edit {
            $0.users[user.id] = user
            $0.hashes[user.id] = hash
        }
        return user
    }

    /// A session of a user, that ends in `seconds`.
    func addSession(of user: User, seconds: Int64 = 3600) -> String {
        let (token, hash) = SessionTokens.make()
        let session = AuthSession(tokenHash: hash, user: user, expires: clock.milliseconds + seconds * 1000)
        store.edit { $0.sessions[hash] = session }
        return token
    }

    func authenticate(_ presented: PresentedCredentials) async -> Result<Principal, AuthFailure> {
        do {
            return .success(try await services.authenticator.authenticate(presented))
        } catch {
            return .failure(error)
        }
    }
}

extension AuthFailure {
    /// The case without its text.
    var kind: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .rateLimited: "rateLimited"
        case .unavailable: "unavailable"
        }
    }
}
