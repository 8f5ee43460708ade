package import ParleyModel

/// What every `RevocationLedger` must do; each fact gets ledgers of its own that know for sure what was revoked:
/// several nodes' ends of the same one.
package enum RevocationLedgerFact: String, CaseIterable, Sendable {
    case whatWasRevokedIsRevokedOnEveryNode
    case whatWasNotRevokedIsNot
    case oneOfSeveralIsEnough
    case sessionsAndUsersAreApart
    case entriesGoWhenTheirTimeIsOver
    case revokingAgainNeverShortens
    case manyAtOnce

    /// - Parameter ledgers: at least one; of every node one.
    package func check(_ ledgers: [any RevocationLedger], clock: WallClock = .system) async throws {
        let later = clock.milliseconds + 60_000
        let (first, last) = (ledgers[0], ledgers[ledgers.count - 1])
        let (one, two) = (Revocation.session(Self.hash("1")), Revocation.session(Self.hash("2")))
        switch self {
        case .whatWasRevokedIsRevokedOnEveryNode:
            await first.revoke(one, until: later)
            for ledger in ledgers { try demand(try await ledger.isRevoked([one]), "what was revoked is") }
        case .whatWasNotRevokedIsNot:
            try demand(try await !last.isRevoked([one, two]), "nothing is revoked yet")
            await first.revoke(one, until: later)
            try demand(try await !last.isRevoked([two]), "another session is not revoked")
            try demand(try await !last.isRevoked([]), "nothing is not revoked")
        case .oneOfSeveralIsEnough:
            await first.revoke(one, until: later)
            try demand(try await last.isRevoked([two, one]), "the second of two")
            try demand(try await last.isRevoked([one, two]), "the first of two")
        case .sessionsAndUsersAreApart:
            let text = String(repeating: "a", count: 64)
            await first.revoke(.session(TokenHash(text)), until: later)
            try demand(try await !last.isRevoked([.user(UserID(trusted: text))]), "a user is no session")
            await first.revoke(.user(UserID(trusted: "ann")), until: later)
            try demand(try await last.isRevoked([one, .user(UserID(trusted: "ann"))]), "the user is revoked")
        case .entriesGoWhenTheirTimeIsOver:
            await first.revoke(one, until: clock.milliseconds - 1)
            try demand(try await !last.isRevoked([one]), "what is over is not noted")
            await first.revoke(two, until: clock.milliseconds + 300)
            let isGone = try await eventually { try await !last.isRevoked([two]) }
            try demand(isGone, "an entry goes")
        case .revokingAgainNeverShortens:
            await first.revoke(one, until: later)
            let short = clock.milliseconds + 1
            await first.revoke(one, until: short)
            _ = try await eventually { clock.milliseconds > short }
            try demand(try await last.isRevoked([one]), "the longer time counts")
        case .manyAtOnce:
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    let ledger = ledgers[number % ledgers.count]
                    group.addTask { await ledger.revoke(.session(Self.hash("\(number)")), until: later) }
                }
            }
            for number in 0..<500 {
                try demand(try await last.isRevoked([.session(Self.hash("\(number)"))]), "\(number) is revoked")
            }
            try demand(try await !last.isRevoked([.session(Self.hash("500"))]), "500 is not")
        }
    }

    private static func hash(_ text: String) -> TokenHash {
        TokenHash(String(repeating: "0", count: 64 - text.count) + text)
    }
}
