import GRDB
package import ParleyModel
package import ParleyStorage

/// Facts and changes of the ways into threads.
extension StateTransaction {
    package func entrance(
        of thread: ThreadID, requester: UserID, subject: UserID, at now: Int64
    ) throws -> EntranceFacts {
        let member = try members(of: thread, requester: requester, subject: subject, isSubjectHeld: true)
        var facts = EntranceFacts(roles: member.roles, isSubjectPresent: member.isSubjectPresent)
        _ = try db.first(EntranceQueries.facts, [thread.text, subject.text, now]) { row in
            if let author: String = row[0] {
                facts.invitation = Invitation(
                    by: UserID(trusted: author), text: row[1], since: row[2], until: row[3])
            }
            if let state: String = row[4] {
                facts.request = JoinRequest(
                    text: row[5], since: row[6], state: try JoinRequest.State(stored: state))
            }
            facts.counts = EntranceCounts(
                invitationsOfThread: row[7], invitationsOfUser: row[8], requestsOfThread: row[9],
                requestsOfUser: row[10])
        }
        return facts
    }

    package func group(_ thread: ThreadID, by maker: UserID, of users: [UserID]) throws -> GroupFacts {
        let known = try db.first(EntranceQueries.hasThread, [thread.text]) { _ in true }
        let blocked = try users.filter { user in
            try db.first(BlockQueries.between, [maker.text, user.text]) { _ in true } != nil
        }
        return GroupFacts(
            isFree: known == nil, present: Set(try users.filter { try isPresent($0) }), blocked: Set(blocked))
    }

    func execute(_ row: EntranceRow, of user: UserID, in thread: ThreadID) throws {
        switch row {
        case .putInvitation(let invitation):
            try run(
                EntranceQueries.putInvitation,
                [
                    thread.text, user.text, invitation.author.text, invitation.text, invitation.since, invitation.until,
                ])
        case .deleteInvitation: try run(EntranceQueries.deleteInvitation, [thread.text, user.text])
        case .putRequest(let request):
            try run(EntranceQueries.deleteEndedRequests, [user.text, request.since, thread.text])
            try run(
                EntranceQueries.putRequest,
                [thread.text, user.text, request.text, request.since, request.state.rawValue])
        case .deleteRequest: try run(EntranceQueries.deleteRequest, [thread.text, user.text])
        }
    }
}
