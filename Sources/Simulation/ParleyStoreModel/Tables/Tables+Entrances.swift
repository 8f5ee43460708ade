package import ParleyModel
import ParleyStorage

/// The rows of invitations and requests.
extension Tables {
    mutating func raise(_ topic: EntranceTopic) {
        switch topic {
        case .user(let user): raised.insert("i:\(user.text)")
        case .thread(let thread): raised.insert("e:\(thread.text)")
        }
    }

    mutating func execute(_ row: EntranceRow, of user: UserID, in thread: ThreadID) {
        let place = MemberPlace(user: user, thread: thread)
        switch row {
        case .putInvitation(let invitation):
            guard isPresent(user), threads[thread] != nil else { return }
            invitations[place] = invitation
            raise(.user(user))
            raise(.thread(thread))
        case .deleteInvitation: endInvitation(at: place)
        case .putRequest(let request):
            for (other, row) in requests
            where other.user == user && other.thread != thread && !row.isCurrent(at: request.since) {
                endRequest(at: other)
            }
            guard isPresent(user) else { return }
            requests[place] = request
            raise(.thread(thread))
        case .deleteRequest: endRequest(at: place)
        }
    }

    private mutating func endInvitation(at place: MemberPlace) {
        guard invitations.removeValue(forKey: place) != nil else { return }
        raise(.user(place.user))
        raise(.thread(place.thread))
    }

    private mutating func endRequest(at place: MemberPlace) {
        guard requests.removeValue(forKey: place) != nil else { return }
        raise(.thread(place.thread))
    }

    private mutating func refuseRequest(at place: MemberPlace) {
        guard let request = requests[place], request.state == .open else { return }
        requests[place] = request.with(.refused)
        raise(.thread(place.thread))
    }

    /// A new membership ends the user's invitation and request.
    mutating func endEntrances(at place: MemberPlace) {
        endInvitation(at: place)
        endRequest(at: place)
    }

    /// A ban ends the user's invitation, and refuses the request.
    mutating func refuseEntrances(at place: MemberPlace) {
        endInvitation(at: place)
        refuseRequest(at: place)
    }

    mutating func endEntrances(of thread: ThreadID) {
        for place in invitations.keys where place.thread == thread { endInvitation(at: place) }
        for place in requests.keys where place.thread == thread { refuseRequest(at: place) }
    }

    mutating func endEntrances(of user: UserID) {
        for (place, row) in invitations where place.user == user || row.author == user { endInvitation(at: place) }
        for place in requests.keys where place.user == user { endRequest(at: place) }
    }

    /// Deletes invitations and requests that have ended before a time, at most `limit` of each.
    /// - Returns: the number of deleted rows.
    mutating func removeEndedEntrances(before milliseconds: Int64, limit: Int) -> Int {
        func oldest(_ ended: [(end: Int64, place: MemberPlace)]) -> [MemberPlace] {
            ended.sorted {
                ($0.end, $0.place.thread.text, $0.place.user.text) < ($1.end, $1.place.thread.text, $1.place.user.text)
            }.prefix(limit).map(\.place)
        }
        let expired = oldest(
            invitations.compactMap { place, row in
                row.until.flatMap { $0 < milliseconds ? (end: $0, place: place) : nil }
            })
        for place in expired { endInvitation(at: place) }
        let first = JoinRequest.oldest(endedBefore: milliseconds)
        let ended = oldest(requests.filter { $0.value.since < first }.map { (end: $0.value.since, place: $0.key) })
        for place in ended { endRequest(at: place) }
        return expired.count + ended.count
    }

    // MARK: Queries

    func entrance(
        of thread: ThreadID, subject: UserID, at now: Int64, _ member: MemberFacts
    ) -> EntranceFacts {
        let place = MemberPlace(user: subject, thread: thread)
        let open = invitations.filter { $0.value.isOpen(at: now) }
        let current = requests.filter { $0.value.isCurrent(at: now) }
        return EntranceFacts(
            roles: member.roles, isSubjectPresent: member.isSubjectPresent, invitation: invitations[place],
            request: requests[place],
            counts: EntranceCounts(
                invitationsOfThread: Int64(open.keys.count { $0.thread == thread }),
                invitationsOfUser: Int64(open.keys.count { $0.user == subject }),
                requestsOfThread: Int64(current.count { $0.key.thread == thread && $0.value.state == .open }),
                requestsOfUser: Int64(current.count { $0.key.user == subject && $0.value.state != .withdrawn })))
    }

    /// A thread as those see it who are not one of the users of a direct thread.
    package func info(of thread: ThreadRow) -> ThreadInfo {
        guard thread.kind == .group, thread.title == nil else { return thread.info }
        let names = (members[thread.id] ?? [:]).keys.sorted { $0.text < $1.text }.prefix(ThreadInfo.namesInTitle)
            .compactMap { users[$0]?.name }
        return thread.info.with(title: names.joined(separator: ThreadInfo.nameSeparator))
    }

    func invitationRecord(at place: MemberPlace, _ row: Invitation) -> InvitationRecord? {
        guard let thread = threads[place.thread], let user = users[place.user], let author = users[row.author] else {
            return nil
        }
        return InvitationRecord(thread: info(of: thread), user: user.user, author: author.user, invitation: row)
    }

    func requestRecord(at place: MemberPlace, _ row: JoinRequest) -> RequestRecord? {
        users[place.user].map { RequestRecord(thread: place.thread, user: $0.user, request: row) }
    }
}
