import ParleyModel
import ParleyTestContracts
import ParleyTestSupport

/// Invitations, requests, hand-overs and blocks, as the use cases allow them.
extension StorePairRun {
    mutating func changeEntrances() async throws {
        let (user, by, milliseconds, isRefused) = (user(), user(), milliseconds, isOneOf(8))
        // Users may ask for threads that do not exist.
        let isRequest = isOneOf(2)
        let thread = isRequest && isOneOf(6) ? ThreadID(trusted: "asked") : thread()
        // No other author has a row.
        guard users.contains(where: { $0.id == by.id }) else { return }
        let change = isRequest ? requestChange() : invitationChange(by: by)
        let entries = try await pair.change("\(change) of \(user) in \(thread) by \(by)") { store in
            try await store.changeEntrance(change, of: user, in: thread, by: by.id, at: milliseconds) { facts in
                if isRefused { throw StorePair.Refusal() }
                switch change {
                case .request, .withdrawRequest, .refuseRequest: break
                case .invite, .endInvitation, .acceptInvitation, .acceptRequest:
                    guard let info = facts.roles.thread, info.kind != .direct else { throw StorePair.Refusal() }
                case .handOver:
                    guard facts.roles.requester == .owner, facts.roles.subject != nil, user.id != by.id else {
                        throw StorePair.Refusal()
                    }
                }
            }
        }
        outbox += entries
        if isOneOf(4) { try await removeEnded() }
    }

    private mutating func invitationChange(by author: User) -> EntranceChange {
        switch roll(6) {
        case ..<3:
            return .invite(
                Invitation(
                    by: author.id, text: isOneOf(2) ? "text \(number())" : nil, since: milliseconds,
                    until: pick([nil, milliseconds - 1, milliseconds + Int64(roll(20_000))])))
        case 3: return .endInvitation
        case 4: return .handOver
        default: return .acceptInvitation
        }
    }

    private mutating func requestChange() -> EntranceChange {
        switch roll(7) {
        case ..<3:
            // Some have ended when the next one is made.
            let since = isOneOf(4) ? milliseconds - JoinRequest.lifetime - 1 : milliseconds
            return .request(JoinRequest(text: isOneOf(2) ? "text \(number())" : nil, since: since))
        case 3: return .withdrawRequest
        case 4: return .refuseRequest
        default: return .acceptRequest
        }
    }

    private mutating func removeEnded() async throws {
        let (end, limit) = (milliseconds - Int64(roll(20_000)), roll(4))
        try await pair.ask("removeEndedEntrances before \(end), \(limit)") { store in
            try await store.removeEndedEntrances(before: end, limit: limit)
        }
    }

    mutating func changeBlocks() async throws {
        let (user, by, milliseconds) = (user(), user(), milliseconds)
        guard user.id != by.id else { return }
        if isOneOf(3) {
            try await pair.ask("unblock \(user) by \(by)") { try await $0.unblock(user.id, by: by.id) }
        } else {
            try await pair.ask("block \(user) by \(by)") { try await $0.block(user.id, by: by.id, at: milliseconds) }
        }
    }

    mutating func readEntrances() async throws {
        let (user, other, thread, milliseconds) = (user(), user(), thread(), milliseconds)
        let (place, after) = (isOneOf(2) ? self.thread() : nil, isOneOf(2) ? self.user().id : nil)
        try await pair.ask("invitations of \(user)") {
            try await $0.invitations(of: user.id, at: milliseconds, after: place, limit: 3)
        }
        try await pair.ask("invitations in \(thread)") {
            try await $0.invitations(in: thread, at: milliseconds, after: after, limit: 3)
        }
        try await pair.ask("requests of \(user)") { try await $0.requests(of: user.id, at: milliseconds) }
        try await pair.ask("requests in \(thread)") {
            try await $0.requests(in: thread, at: milliseconds, after: after, limit: 3)
        }
        try await pair.ask("blocks of \(user)") { try await $0.blocks(of: user.id) }
        try await pair.ask("isBlocked \(user) \(other)") { try await $0.isBlocked(user.id, other.id) }
    }
}
