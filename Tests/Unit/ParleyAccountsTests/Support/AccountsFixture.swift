import Crypto
import Logging
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import Synchronization

/// All services of the module on test doubles, with cheap password hashes.
struct AccountsFixture {
    static let secret = Secret(text: "a secret of these tests, 32 bytes or more")

    let clock: TestClock
    let store = TestStore()
    let ticketStore = TestTicketStore()
    let directory: BatchedDirectory
    let services: AccountServices

    init(
        clock: TestClock = TestClock(), djangoSite: (any DjangoDirectory)? = nil, rates: (any RateStore)? = nil,
        oidcRequests: (any ProviderRequests)? = nil, _ change: (inout AccountSettings) throws -> Void = { _ in }
    ) async throws {
        self.clock = clock
        var settings = AccountSettings(secret: Self.secret)
        settings.passwordIterations = 10
        settings.passwordWorkers = 1
        try change(&settings)
        directory = BatchedDirectory(
            store, apiKeys: settings.apiKeys, idForm: settings.idForm, settings: settings.directory, clock: clock.wall,
            pause: { _ in await Task.yield() })
        services = try await AccountServices(
            settings: settings, accounts: store, directory: directory, ticketStore: ticketStore,
            rates: rates, djangoSite: djangoSite, oidcRequests: oidcRequests, clock: clock.wall,
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

    /// A ticket as made by versions before the credentials version: kind, expiry, nonce, no expiry of the credential,
    /// session, user, signed.
    func unversionedTicket(_ kind: UInt8, nonce: Int, session: TokenHash?, _ user: User) -> String {
        func bigEndian(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
        var bytes =
            [kind] + bigEndian(clock.milliseconds + 20_000) + Array(repeating: 9, count: nonce) + bigEndian(.max)
        bytes += text(session?.text ?? "") + text(user.id.text) + Array(user.name.utf8)
        let purpose = HMAC<SHA256>.authenticationCode(
            for: Array("parley ticket".utf8), using: SymmetricKey(data: Self.secret.bytes))
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: Array(purpose)))
        return Base64URL.encode(bytes + Array(code))
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
        case .suspended: "suspended"
        case .rateLimited: "rateLimited"
        case .unavailable: "unavailable"
        }
    }
}

/// The redeemed tickets.
final class TestTicketStore: TicketStore {
    private let used = Mutex<Set<String>>([])
    private let away = Mutex(false)

    var count: Int { used.withLock { $0.count } }

    /// Whether it cannot be reached.
    var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }

    func redeem(_ nonce: String, until expiry: Int64) async throws(SharedStoreError) -> Bool {
        if isAway { throw .unavailable("away") }
        return used.withLock { $0.insert(nonce).inserted }
    }
}
