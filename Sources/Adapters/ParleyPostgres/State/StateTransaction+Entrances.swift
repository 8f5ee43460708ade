package import ParleyModel
package import ParleyStorage

/// Facts and changes of the ways into threads.
extension StateTransaction {
    package func entrance(
        of thread: ThreadID, requester: UserID, subject: UserID, at now: Int64
    ) throws -> EntranceFacts {
        let (id, user) = (Parameter.text(thread.text), Parameter.text(subject.text))
        var pipeline = Pipeline(Statement.begin(), Locks.stateOfThread(id))
        let roles = pipeline.add(StateQueries.roles(id, .text(requester.text), user))
        let held = pipeline.add(StateQueries.holdUser(user))
        let known = pipeline.add(EntranceQueries.facts(id, user, .int(now)))
        let replies = try connection.run(pipeline)
        guard let known = try replies.first(known) else {
            throw StoreError.failed("the server does not tell the facts of an entrance")
        }
        return EntranceFacts(
            roles: try replies.first(roles) ?? MemberRoles(thread: nil, requester: nil, subject: nil),
            isSubjectPresent: replies.count(held) == 1, invitation: known.invitation, request: known.request,
            counts: known.counts)
    }

    package func group(_ thread: ThreadID, by maker: UserID, of users: [UserID]) throws -> GroupFacts {
        let id = Parameter.text(thread.text)
        let all = Parameter.texts(Set(users.map(\.text)).sorted())
        var pipeline = Pipeline(Statement.begin(), Locks.stateOfThread(id))
        let present = pipeline.add(ThreadQueries.users(all))
        // A block waits for the users that are held, so it is made before this or after the commit.
        let blocked = pipeline.add(BlockQueries.among(.text(maker.text), all))
        let threads = pipeline.add(EntranceQueries.hasThread(id))
        let replies = try connection.run(pipeline)
        return GroupFacts(
            isFree: replies.count(threads) == 0, present: Set(try replies.all(present).map { UserID(trusted: $0) }),
            blocked: Set(try replies.all(blocked)))
    }

    func calls(of row: EntranceRow, of user: UserID, in thread: ThreadID) -> [Call] {
        let (id, member) = (Parameter.text(thread.text), Parameter.text(user.text))
        switch row {
        case .putInvitation(let invitation):
            return [
                EntranceQueries.putInvitation(
                    id, member, .text(invitation.author.text), .text(invitation.text), .int(invitation.since),
                    .int(invitation.until))
            ]
        case .deleteInvitation: return [EntranceQueries.deleteInvitation(id, member)]
        case .putRequest(let request):
            return [
                EntranceQueries.deleteEndedRequests(member, .int(request.since), id),
                EntranceQueries.putRequest(
                    id, member, .text(request.text), .int(request.since), .text(request.state.rawValue)),
            ]
        case .deleteRequest: return [EntranceQueries.deleteRequest(id, member)]
        }
    }
}
