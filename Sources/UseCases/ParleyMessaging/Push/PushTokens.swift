import JWTKit
import ParleyConcurrency
import ParleyModel
import Synchronization

/// A failure to make or get a token for a push service.
struct PushTokenError: Error {
    let outcome: PushOutcome
}

/// A token that authenticates this server at a push service.
struct PushToken: Sendable {
    let text: String
    /// The time at which it was made, in Unix milliseconds.
    let made: Int64
    /// The time from which a new one is made instead, in Unix milliseconds.
    let renewal: Int64
}

/// Keeps tokens for as long as they are used again; concurrent sends share the making of one.
///
/// The mutex guards the tokens and is not held while one is made.
final class PushTokens: Sendable {
    /// The maximum number of sends that wait for a token; more fail with `retry`.
    static let maximumWaiting = 1_000

    private let capacity: Int
    private let clock: WallClock
    private let tokens = Mutex<[String: PushToken]>([:])
    private let flight = SingleFlight<String, PushToken, PushTokenError>(
        maximumWaiting: maximumWaiting,
        overflow: PushTokenError(outcome: .retry(after: .seconds(1), reason: "too many pushes wait for a token")))

    /// - Parameter capacity: The maximum number of kept tokens. The token with the earliest renewal makes room.
    init(capacity: Int, clock: WallClock) {
        self.capacity = max(1, capacity)
        self.clock = clock
    }

    /// Returns the token for an audience.
    func token(
        for audience: String, make: @escaping @Sendable (_ now: Int64) async throws(PushTokenError) -> PushToken
    ) async throws(PushTokenError) -> PushToken {
        if let token = kept(for: audience) { return token }
        return try await flight.value(of: audience) { [self] () async throws(PushTokenError) -> PushToken in
            // Another send may have made it in between.
            if let token = kept(for: audience) { return token }
            let token = try await make(clock.milliseconds)
            keep(token, for: audience)
            return token
        }.value
    }

    /// Forgets a token that the service has refused.
    func drop(_ token: PushToken, for audience: String) {
        tokens.withLock { tokens in
            if tokens[audience]?.text == token.text { tokens[audience] = nil }
        }
    }

    /// The number of kept tokens.
    var count: Int { tokens.withLock(\.count) }

    /// A clock that was set back to before a token was made has no use for it.
    private func kept(for audience: String) -> PushToken? {
        let now = clock.milliseconds
        return tokens.withLock { $0[audience] }.flatMap { $0.made <= now && now < $0.renewal ? $0 : nil }
    }

    private func keep(_ token: PushToken, for audience: String) {
        tokens.withLock { tokens in
            if tokens[audience] == nil, tokens.count >= capacity,
                let first = tokens.min(by: { $0.value.renewal < $1.value.renewal })?.key
            {
                tokens[first] = nil
            }
            tokens[audience] = token
        }
    }
}

/// The claims of the tokens of all three services; each uses some of them.
struct PushClaims: JWTPayload {
    var iss: String?
    var aud: String?
    var sub: String?
    var scope: String?
    var iat: Int64?
    var exp: Int64?

    // Only made here; services verify them.
    func verify(using algorithm: some JWTAlgorithm) {}
}
