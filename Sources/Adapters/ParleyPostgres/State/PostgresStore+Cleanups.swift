package import ParleyModel
import ParleyStorage

extension PostgresStore: Cleanups {
    package func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup] {
        guard limit > 0 else { return [] }
        return try await rows(.account, StateQueries.claimCleanups(.int(Int64(limit)))).compactMap { $0 }
    }

    package func finish(_ cleanup: Cleanup, forgetting sends: any SendMemory) async throws(StoreError) {
        switch cleanup.subject {
        case .user(let user): try await finishErasure(of: user, cleanup, forgetting: sends)
        case .thread(let thread):
            var claim = cleanup
            while let step = try await step(
                of: claim, { StateDecision(try $0.deleteRows(of: thread) ? true : nil) })
            {
                claim = step.claim
            }
        }
    }

    package func removeEndedEntrances(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        guard limit > 0 else { return 0 }
        let (end, limit) = (Parameter.int(milliseconds), Parameter.int(Int64(limit)))
        let links = try await rows(.account, LinkQueries.removeEnded(end, limit)).count
        let invitations = try await rows(.account, EntranceQueries.removeEndedInvitations(end, limit)).count
        let oldest = Parameter.int(JoinRequest.oldest(endedBefore: milliseconds))
        let requests = try await rows(.account, EntranceQueries.removeEndedRequests(oldest, limit)).count
        return links + invitations + requests
    }
}
