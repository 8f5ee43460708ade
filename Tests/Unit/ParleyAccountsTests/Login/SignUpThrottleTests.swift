import ParleyAccounts
import ParleyModel
import Testing

@Suite("Sign-ups per address", .timeLimit(.minutes(5)))
struct SignUpThrottleTests {
    private func limits(_ number: Int) -> Limits {
        var limits = Limits()
        limits.signUpsPerAddressPerMinute = number
        return limits
    }

    @Test("are limited per minute and address, for IPv6 per /64 network")
    func bounds() async {
        let throttle = SignUpThrottle(limits: limits(3))
        for _ in 0..<3 { #expect(await throttle.take(from: "2001:db8::1", at: 1_000) == nil) }
        #expect(await throttle.take(from: "2001:db8::2", at: 31_000) == 30)
        #expect(await throttle.take(from: "2001:db8:0:1::1", at: 31_000) == nil)
        #expect(await throttle.take(from: "2001:db8::1", at: 61_000) == nil)
    }

    @Test("are unlimited with 0")
    func none() async {
        let throttle = SignUpThrottle(limits: limits(0))
        for _ in 0..<100 { #expect(await throttle.take(from: "192.0.2.1", at: 0) == nil) }
    }

    @Test("are counted over all nodes, and locally while the store is unavailable")
    func nodes() async {
        let rates = TestRates()
        let nodes = [
            SignUpThrottle(limits: limits(4), rates: rates), SignUpThrottle(limits: limits(4), rates: rates),
        ]
        for number in 0..<4 { #expect(await nodes[number % 2].take(from: "192.0.2.1", at: 0) == nil) }
        for node in nodes { #expect(await node.take(from: "192.0.2.1", at: 0) != nil) }
        rates.setAway(true)
        for _ in 0..<4 { #expect(await nodes[0].take(from: "192.0.2.9", at: 0) == nil) }
        #expect(await nodes[0].take(from: "192.0.2.9", at: 0) == 60)
    }

    @Test("above the limit are rejected with a delay; logins are not affected")
    func signUp() async throws {
        let fixture = try await AccountsFixture { $0.limits.signUpsPerAddressPerMinute = 2 }
        for name in ["ann", "bob"] {
            _ = try await fixture.services.login.signUp(username: name, password: "correct horse", address: "a")
        }
        await #expect(throws: AccountError.rateLimited(retryAfterSeconds: 60)) {
            _ = try await fixture.services.login.signUp(username: "cid", password: "correct horse", address: "a")
        }
        _ = try await fixture.services.login.logIn(username: "ann", password: "correct horse", address: "a")
    }
}
