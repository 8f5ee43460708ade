/// Reconnect delays of a bot: by close code (PROTOCOL §3), with exponential back-off and jitter.
package struct ReconnectPolicy: Hashable, Sendable {
    package enum Decision: Hashable, Sendable {
        /// Microseconds from now.
        case after(Int64)
        /// Do not reconnect.
        case stop
    }

    private static let base: Int64 = 100_000
    private static let longest: Int64 = 5_000_000

    /// Consecutive attempts that did not lead to a live socket.
    private var failures = 0

    package init() {}

    package mutating func succeeded() {
        failures = 0
    }

    /// - Parameters:
    ///   - code: the code of the close frame; `nil` if there was none.
    ///   - status: the status of a rejected upgrade.
    ///   - retryAfter: the `Retry-After` of a rejected upgrade, in seconds.
    package mutating func decide(
        code: UInt16?, status: Int?, retryAfter: Int?, _ random: inout some RandomNumberGenerator
    ) -> Decision {
        if status == 403 { return .stop }
        switch code.map({ Int($0) }) {
        case let code? where (4000..<4100).contains(code): return .stop
        // The delay was in the bye, or there is none.
        case let code? where (4200..<4400).contains(code):
            if failures > 0 { return .after(backOff(&random)) }
            failures = 1
            return .after(0)
        case 1013: return .after(1_000_000 + Int64.random(in: 0...1_000_000, using: &random))
        default: break
        }
        if let retryAfter {
            let wait = Int64(min(max(retryAfter, 0), 10)) * 1_000_000
            return .after(wait + Int64.random(in: 0...500_000, using: &random))
        }
        return .after(backOff(&random))
    }

    /// Between half and one and a half of a doubling delay.
    private mutating func backOff(_ random: inout some RandomNumberGenerator) -> Int64 {
        let wait = min(Self.longest, Self.base << Int64(min(failures, 10)))
        failures += 1
        return wait / 2 + Int64.random(in: 0...wait, using: &random)
    }
}
