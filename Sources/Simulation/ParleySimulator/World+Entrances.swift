import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleyStoreModel

/// Groups, invitations, requests and links, and the check that none lets a user in who has no right to it.
extension World {
    func changeEntrance(_ kind: Plan.Command.Kind, of user: SimulatedUser, choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        entrances.hasChanged = true
        switch kind {
        case .group: makeGroup(of: user, &generator)
        case .invite: invite(user, &generator)
        case .request: request(by: user, &generator)
        case .link: link(for: user, &generator)
        default: break
        }
    }

    /// A call of a user at a node, about another user or themselves and a thread.
    struct Attempt: Sendable {
        let text: String
        let caller: User
        let place: MemberPlace
        /// Whether the user may do that. Asked before the call; it counts if nothing else is changed until the answer.
        let isAllowed: @Sendable (Standing) -> Bool
    }

    /// Makes a call at a gateway, and reports a violation if it succeeds without a right.
    /// - Parameter done: Called with the result, and with the standing before, unless another change came in between.
    func attempt<Value: Sendable>(
        _ attempt: Attempt, _ generator: inout SeededGenerator,
        _ body: @escaping @Sendable (Messaging, Caller) async throws -> Value,
        done: @escaping @Sendable (Value, Standing?) -> Void = { _, _ in }
    ) {
        let gateways = plan.gatewayNames.compactMap { nodes[$0] }.filter(\.isReady)
        guard let node = generator.element(of: gateways), let messaging = node.parts?.messaging else { return }
        let caller = Caller(Identity(user: attempt.caller, credential: .password))
        let (user, thread) = (attempt.place.user, attempt.place.thread)
        let number = roomViews.begin(on: node)
        let before = roomViews.standing(of: user, in: thread, by: attempt.caller.id)
        story.tell("world", "\(attempt.text) of \(user) in \(thread) at \(node.name)")
        node.run { [self] in
            do {
                let value = try await body(messaging, caller)
                let isAlone = roomViews.end(number)
                story.tell("world", "\(attempt.text) of \(user) in \(thread) has succeeded")
                if isAlone, !attempt.isAllowed(before) {
                    observations.violation("\(attempt.text) succeeds without a right: \(user) in \(thread), \(before)")
                }
                done(value, isAlone ? before : nil)
            } catch {
                roomViews.end(number)
                story.tell("world", "\(attempt.text) of \(user) in \(thread) is refused: \(error)")
            }
        }
    }

    func account(_ user: SimulatedUser) -> User? { UserID(user.id).map { User(id: $0, name: user.name) } }

    /// A room, not a direct thread, with the user who made it.
    func ownedRoom(_ generator: inout SeededGenerator) -> (thread: ThreadID, owner: User)? {
        guard let room = generator.element(of: rooms.filter { owners[$0] != nil }), let thread = ThreadID(room),
            let owner = owners[room]
        else { return nil }
        return (thread, owner)
    }

    // MARK: Groups

    private func makeGroup(of user: SimulatedUser, _ generator: inout SeededGenerator) {
        guard entrances.groups < Entrances.mostGroups, let maker = account(user) else { return }
        entrances.groups += 1
        var others: [(text: String, user: UserReference)] = []
        for _ in 0...generator.below(3) {
            guard let other = generator.element(of: users).flatMap({ account($0) }), other.id != maker.id else {
                continue
            }
            others.append((other.name, UserReference(id: other.id)))
        }
        guard !others.isEmpty else { return }
        let members = others
        guard let room = rooms.first.flatMap({ ThreadID($0) }) else { return }
        // The group has no id yet.
        let place = MemberPlace(user: maker.id, thread: room)
        attempt(Attempt(text: "a group", caller: maker, place: place) { _ in true }, &generator) {
            try await $0.createGroup(titled: nil, with: members, by: $1)
        } done: { [self] group, _ in
            rooms.append(group.text)
            owners[group.text] = maker
        }
    }

    // MARK: Invitations

    /// Invites the user, lets a user accept or decline an invitation that may have ended, or withdraws one.
    private func invite(_ user: SimulatedUser, _ generator: inout SeededGenerator) {
        let step = generator.below(6)
        if step < 2 || entrances.invitees.isEmpty { return invite(toJoin: user, &generator) }
        guard let place = generator.element(of: entrances.invitees), let name = name(of: place.user) else { return }
        let invitee = User(id: place.user, name: name)
        switch step {
        case 4:
            attempt(
                Attempt(text: "a declined invitation", caller: invitee, place: place, isAllowed: \.isInvited),
                &generator
            ) { try await $0.declineInvitation(to: place.thread, by: $1) }
        case 5:
            guard let owner = owners[place.thread.text] else { return }
            attempt(
                Attempt(text: "a withdrawn invitation", caller: owner, place: place, isAllowed: \.isInvited),
                &generator
            ) { try await $0.withdrawInvitation(of: UserReference(id: place.user), to: place.thread, by: $1) }
        default:
            attempt(
                Attempt(text: "an accepted invitation", caller: invitee, place: place) {
                    $0.isMember || ($0.isInvited && !$0.isBanned)
                }, &generator
            ) {
                try await $0.acceptInvitation(to: place.thread, by: $1)
            } done: { [self] _, before in
                guard before?.isMember == false else { return }
                entrances.accepted[place, default: 0] += 1
                if entrances.accepted[place, default: 0] > entrances.invited[place, default: 0] {
                    observations.violation("an invitation lets a user in twice: \(name) into \(place.thread)")
                }
            }
        }
    }

    private func invite(toJoin user: SimulatedUser, _ generator: inout SeededGenerator) {
        guard let (thread, owner) = ownedRoom(&generator), let subject = account(user) else { return }
        let place = MemberPlace(user: subject.id, thread: thread)
        if entrances.invited[place] == nil { entrances.invitees.append(place) }
        entrances.invited[place, default: 0] += 1
        attempt(
            Attempt(text: "an invitation", caller: owner, place: place) {
                !$0.isMember && !$0.isBanned && !$0.isBlocked
            }, &generator
        ) {
            _ = try await $0.invite(UserReference(id: place.user), to: thread, EntranceTerms(), by: $1)
        }
    }

    func name(of user: UserID) -> String? { users.first { $0.id == user.text }?.name }

    // MARK: Requests

    /// The user asks to be let in, or withdraws that; or the owner of a room answers a request that may have ended.
    private func request(by user: SimulatedUser, _ generator: inout SeededGenerator) {
        let step = generator.below(6)
        if step < 2 || entrances.askers.isEmpty {
            guard let (thread, _) = ownedRoom(&generator), let asker = account(user) else { return }
            let place = MemberPlace(user: asker.id, thread: thread)
            if !entrances.askers.contains(place) { entrances.askers.append(place) }
            return attempt(
                Attempt(text: "a request", caller: asker, place: place) { !$0.isMember }, &generator
            ) { _ = try await $0.request(thread, EntranceTerms(), by: $1) }
        }
        guard let place = generator.element(of: entrances.askers), let owner = owners[place.thread.text],
            let name = name(of: place.user)
        else { return }
        let reference = UserReference(id: place.user)
        switch step {
        case 4:
            attempt(
                Attempt(
                    text: "a withdrawn request", caller: User(id: place.user, name: name), place: place,
                    isAllowed: { !$0.isMember }), &generator
            ) { try await $0.withdrawRequest(for: place.thread, by: $1) }
        case 5:
            attempt(
                Attempt(text: "a refused request", caller: owner, place: place, isAllowed: \.hasAsked), &generator
            ) { try await $0.refuseRequest(of: reference, in: place.thread, by: $1) }
        default:
            attempt(
                Attempt(text: "an accepted request", caller: owner, place: place) { $0.hasAsked && !$0.isBanned },
                &generator
            ) { _ = try await $0.acceptRequest(of: reference, in: place.thread, by: $1) }
        }
    }

    // MARK: Links

    /// The owner of a room makes a link or revokes one, or the user follows one, which may lead nowhere.
    private func link(for user: SimulatedUser, _ generator: inout SeededGenerator) {
        let step = generator.below(6)
        if step == 0 || entrances.links.isEmpty { return makeLink(&generator) }
        let index = generator.below(entrances.links.count)
        let link = entrances.links[index]
        if step == 1 {
            guard let owner = owners[link.thread.text] else { return }
            let place = MemberPlace(user: owner.id, thread: link.thread)
            return attempt(Attempt(text: "a revoked link", caller: owner, place: place) { _ in true }, &generator) {
                try await $0.revokeLink(link.id, of: link.thread, by: $1)
            } done: { [self] _, _ in
                entrances.links[index].isRevoked = true
            }
        }
        guard let caller = account(user) else { return }
        let place = MemberPlace(user: caller.id, thread: link.thread)
        attempt(
            Attempt(text: "a followed link", caller: caller, place: place) { $0.isMember || !$0.isBanned }, &generator
        ) {
            try await $0.follow(link: link.code, by: $1).isNew
        } done: { [self] isNew, _ in
            guard isNew else { return }
            // What was revoked before the call leads nowhere.
            if link.isRevoked { observations.violation("a revoked link leads into a room: \(link.thread)") }
            entrances.links[index].joined += 1
            if let bound = link.bound, entrances.links[index].joined > bound {
                observations.violation(
                    "a link is used more often than its bound: \(entrances.links[index].joined) times of \(bound)")
            }
        }
    }

    private func makeLink(_ generator: inout SeededGenerator) {
        guard let (thread, owner) = ownedRoom(&generator) else { return }
        let bound: Int64? = generator.element(of: [nil, 1, 1, 2]) ?? nil
        let place = MemberPlace(user: owner.id, thread: thread)
        attempt(Attempt(text: "a link", caller: owner, place: place, isAllowed: \.isMember), &generator) {
            try await $0.makeLink(into: thread, LinkRequest(seconds: nil, uses: bound), by: $1)
        } done: { [self] made, _ in
            entrances.links.append(Entrances.Link(id: made.link.id, thread: thread, code: made.code, bound: bound))
        }
    }
}
