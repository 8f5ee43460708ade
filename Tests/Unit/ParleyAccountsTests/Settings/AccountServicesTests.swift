import ParleyAccounts
import Testing

@Suite("Account settings")
struct AccountServicesTests {
    @Test(
        "abort the start if the cost of passwords is out of bounds",
        arguments: [(0, false), (1, true), (5_000_000, true), (5_000_001, false)])
    func iterations(count: Int, isAllowed: Bool) async throws {
        do {
            _ = try await AccountsFixture { $0.passwordIterations = count }
            #expect(isAllowed)
        } catch let violation as SettingError {
            #expect(!isAllowed)
            #expect(violation.setting == "PARLEY_AUTH_PBKDF2_ITERATIONS")
        }
    }

    @Test("abort the start if JWTs are enabled without a key")
    func jwtWithoutKey() async throws {
        await #expect(throws: SettingError.self) { _ = try await AccountsFixture { $0.jwt = JWTSettings() } }
    }
}
