import ParleyAccounts
import ParleyModel
import Testing

@Suite("Login throttle")
struct LoginThrottleTests {
    private static let start: Int64 = 1_790_000_000_000

    private func attempt(
        _ account: String?, _ address: String = "192.0.2.1", device: String? = nil
    ) -> LoginThrottle.Attempt {
        LoginThrottle.Attempt(account: account, address: address, device: device)
    }

    @Test(
        "rejects an account at an address after 10 failures there, until a minute after the first",
        arguments: [(9, false), (10, true)])
    func pair(failures: Int, isRefused: Bool) {
        var throttle = LoginThrottle(limits: Limits())
        for index in 0..<failures { throttle.failed(attempt("alice"), at: Self.start + Int64(index) * 1000) }
        let now = Self.start + 10_000
        #expect(throttle.wait(attempt("alice"), at: now)?.seconds == (isRefused ? 50 : nil))
        #expect(throttle.wait(attempt("alice"), at: now)?.limit == (isRefused ? .loginFailuresPerAccount : nil))
        #expect(throttle.wait(attempt("bob"), at: now)?.seconds == nil)
        #expect(throttle.wait(attempt(nil), at: now)?.seconds == nil)
        #expect(throttle.wait(attempt("alice", "192.0.2.2"), at: now)?.seconds == nil)
        #expect(throttle.wait(attempt("alice"), at: Self.start + 59_999)?.seconds == (isRefused ? 1 : nil))
        #expect(throttle.wait(attempt("alice"), at: Self.start + 60_000)?.seconds == nil)
    }

    @Test("rejects an account everywhere after 100 failures from any addresses", arguments: [(99, false), (100, true)])
    func account(failures: Int, isRefused: Bool) {
        var throttle = LoginThrottle(limits: Limits())
        for index in 0..<failures { throttle.failed(attempt("alice", "192.0.2.\(index)"), at: Self.start) }
        let wait = throttle.wait(attempt("alice", "198.51.100.1"), at: Self.start)
        #expect(wait?.limit == (isRefused ? .loginFailuresPerAccountTotal : nil))
        #expect(throttle.wait(attempt("bob", "198.51.100.1"), at: Self.start) == nil)
    }

    @Test("a known device has a budget of its own: others do not use it up, nor does it use up theirs")
    func devices() {
        var throttle = LoginThrottle(limits: Limits())
        for index in 0..<1000 { throttle.failed(attempt("alice", "192.0.2.\(index % 200)"), at: Self.start) }
        let phone = attempt("alice", device: "phone")
        #expect(throttle.wait(attempt("alice"), at: Self.start) != nil)
        #expect(throttle.wait(phone, at: Self.start) == nil)
        for _ in 0..<9 { throttle.failed(phone, at: Self.start) }
        #expect(throttle.wait(phone, at: Self.start) == nil)
        throttle.failed(phone, at: Self.start)
        #expect(throttle.wait(phone, at: Self.start)?.limit == .loginFailuresPerAccount)
        #expect(throttle.wait(attempt("alice", device: "laptop"), at: Self.start) == nil)
        var other = LoginThrottle(limits: Limits())
        for _ in 0..<50 { other.failed(phone, at: Self.start) }
        #expect(other.wait(attempt("alice"), at: Self.start) == nil)
    }

    @Test("rejects an address after 30 failures on any accounts", arguments: [(29, false), (30, true)])
    func address(failures: Int, isRefused: Bool) {
        var throttle = LoginThrottle(limits: Limits())
        for index in 0..<failures {
            throttle.failed(attempt(index == 0 ? nil : "user\(index)"), at: Self.start)
        }
        #expect(throttle.wait(attempt("alice"), at: Self.start)?.limit == (isRefused ? .loginFailuresPerAddress : nil))
        #expect(throttle.wait(attempt("user1", "192.0.2.2"), at: Self.start)?.seconds == nil)
        #expect(throttle.wait(attempt("alice"), at: Self.start + 60_000)?.seconds == nil)
    }

    @Test("opens a new window after the old one")
    func newWindow() {
        var throttle = LoginThrottle(limits: Limits())
        for _ in 0..<10 { throttle.failed(attempt("alice"), at: Self.start) }
        for _ in 0..<9 { throttle.failed(attempt("alice"), at: Self.start + 60_000) }
        #expect(throttle.wait(attempt("alice"), at: Self.start + 60_001)?.seconds == nil)
        throttle.failed(attempt("alice"), at: Self.start + 60_002)
        #expect(throttle.wait(attempt("alice"), at: Self.start + 60_002)?.seconds == 60)
    }

    @Test("is off with a limit of 0, and stores nothing")
    func off() {
        var limits = Limits()
        limits.loginFailuresPerAccountPerMinute = 0
        limits.loginFailuresPerAccountTotalPerMinute = 0
        limits.loginFailuresPerAddressPerMinute = 0
        var throttle = LoginThrottle(limits: limits)
        for _ in 0..<1000 { throttle.failed(attempt("alice"), at: Self.start) }
        #expect(throttle.wait(attempt("alice"), at: Self.start)?.seconds == nil)
        #expect(throttle.count == 0)
    }

    @Test("stores a bounded number of names under a flood of invented ones")
    func flood() {
        var throttle = LoginThrottle(limits: Limits(), capacity: 100)
        for index in 0..<10_000 {
            throttle.failed(attempt("name\(index)", "10.0.\(index / 250).\(index % 250)"), at: Self.start)
            #expect(throttle.count <= 300)
        }
        // A recently rejected account still is.
        for _ in 0..<10 { throttle.failed(attempt("alice"), at: Self.start) }
        for index in 0..<40 { throttle.failed(attempt("other\(index)", "10.1.0.\(index)"), at: Self.start) }
        #expect(throttle.wait(attempt("alice"), at: Self.start)?.seconds == 60)
    }

    @Test("does not reject for longer when the clock is set back")
    func clockSetBack() {
        var throttle = LoginThrottle(limits: Limits())
        for _ in 0..<10 { throttle.failed(attempt("alice"), at: Self.start) }
        #expect(throttle.wait(attempt("alice"), at: Self.start - 3_600_000)?.seconds == nil)
    }

    @Test(
        "counts the addresses of one subscriber as one",
        arguments: [
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("fe80::1%eth0", "fe80::2", true),
            ("unix:socket", "unix:other", false),
        ])
    func blocks(one: String, other: String, areOne: Bool) {
        #expect((attempt("a", one) == attempt("a", other)) == areOne)
    }
}
