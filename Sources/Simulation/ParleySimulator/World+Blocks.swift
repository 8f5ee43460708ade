import ParleyMessaging
import ParleyModel
import ParleyStoreModel

/// Bans, blocks between users, direct threads, and the rights in rooms.
extension World {
    /// Has a node ban a user from a room, other than its owner, or end the ban, at the request of an operator.
    func ban(_ user: SimulatedUser, choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        entrances.hasChanged = true
        guard let node = readyNode(&generator), let messaging = node.parts?.messaging,
            let (thread, owner) = ownedRoom(&generator), let subject = account(user), subject.id != owner.id
        else { return }
        let ends = generator.once(in: 3)
        let seconds = generator.once(in: 2) ? nil : Int64(1 + generator.below(30))
        story.tell(
            "world",
            "\(node.name) "
                + (ends
                    ? "ends the ban of \(user.name)"
                    : "bans \(user.name) \(seconds.map { "for \($0) s" } ?? "for good")") + " from \(thread)")
        if !ends { user.leftRooms.insert(thread.text) }
        let number = roomViews.begin(on: node)
        node.run { [roomViews] in
            if ends {
                try? await messaging.endSanction(.ban, of: subject, in: thread, by: .commandLine)
            } else if let request = try? SanctionRequest(.ban, seconds: seconds, reason: nil) {
                _ = try? await messaging.sanction(subject, in: thread, request, by: .commandLine)
            }
            roomViews.end(number)
        }
    }

    /// Has a node change who may write in a room, its slow mode, or whether it is archived, at the request of an operator.
    func changeRights(choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        entrances.hasChanged = true
        guard let node = readyNode(&generator), let messaging = node.parts?.messaging,
            let (thread, _) = ownedRoom(&generator)
        else { return }
        var update = RoomUpdate()
        switch generator.below(4) {
        case 0: update.rights = [.write: generator.once(in: 2) ? .moderators : .everyone]
        case 1: update.isArchived = generator.once(in: 2)
        // Short, so that all messages that wait for their turn are sent before the end.
        default: update.slowSeconds = Int64(generator.below(3))
        }
        let change = update
        story.tell("world", "\(node.name) changes the rights in \(thread): \(change)")
        for user in users { user.mutedRooms.insert(thread.text) }
        node.run { _ = try? await messaging.setRoom(change, of: thread, by: .commandLine) }
    }

    private func readyNode(_ generator: inout SeededGenerator) -> SimulatedNode? {
        generator.element(of: nodes.values.filter(\.isReady).sorted { $0.name < $1.name })
    }

    // MARK: Blocks

    /// The user opens a direct thread, or blocks one of their direct threads' other users, or ends that.
    func block(by user: SimulatedUser, choice: UInt64) {
        var generator = SeededGenerator(seed: choice)
        let step = generator.below(6)
        let known = entrances.directs.filter { $0.value.one === user || $0.value.other === user }.keys.sorted()
        guard step > 2, let direct = generator.element(of: known), let pair = entrances.directs[direct],
            let thread = ThreadID(direct), let caller = account(user),
            let other = account(pair.one === user ? pair.other : pair.one)
        else { return openDirect(of: user, &generator) }
        entrances.hasChanged = true
        for one in [pair.one, pair.other] { one.mutedRooms.insert(direct) }
        let place = MemberPlace(user: other.id, thread: thread)
        let ends = step == 5
        attempt(
            Attempt(text: ends ? "the end of a block" : "a block", caller: caller, place: place) { _ in true },
            &generator
        ) { messaging, caller in
            let reference = UserReference(id: place.user)
            if ends {
                try await messaging.unblock(reference, by: caller)
            } else {
                _ = try await messaging.block(reference, by: caller)
            }
        }
    }

    private func openDirect(of user: SimulatedUser, _ generator: inout SeededGenerator) {
        guard let other = generator.element(of: users), other !== user, let caller = account(user),
            let peer = account(other)
        else { return }
        let thread = ThreadInfo.directID(caller.id, peer.id)
        guard entrances.directs[thread.text] == nil, entrances.directs.count < Entrances.mostDirects else { return }
        entrances.hasChanged = true
        let place = MemberPlace(user: peer.id, thread: thread)
        attempt(
            Attempt(text: "a direct thread", caller: caller, place: place) { !$0.isBlocked || $0.isMember }, &generator
        ) {
            try await $0.openDirect(with: UserReference(id: place.user), by: $1).thread
        } done: { [self] direct, _ in
            guard entrances.directs[direct.text] == nil, let one = users.first(where: { $0.id == caller.id.text }),
                let other = users.first(where: { $0.id == place.user.text })
            else { return }
            entrances.directs[direct.text] = (one, other)
            rooms.append(direct.text)
        }
    }

    /// Lets users send to each other across their blocks, when every node must know of them.
    func probeBlocks() {
        guard observations.violations.isEmpty else { return }
        let tables = databaseServer.snapshot().tables
        for (direct, pair) in entrances.directs.sorted(by: { $0.key < $1.key }) {
            guard let one = UserID(pair.one.id), let other = UserID(pair.other.id),
                tables.blocks[one]?[other] != nil || tables.blocks[other]?[one] != nil
            else { continue }
            for user in [pair.one, pair.other] where user.isConnected && user.threads[direct] != nil {
                user.send(to: direct, wantsStored: false, milliseconds: scheduler.wallNow / 1_000_000)
                guard let send = user.outbox.last else { continue }
                observations.blockedSends.insert(send.clientID)
            }
        }
        let sends = observations.blockedSends
        let isAnswered = scheduler.run(atMost: 20_000_000_000) {
            users.allSatisfy { user in !user.outbox.contains { sends.contains($0.clientID) } }
        }
        if !isAnswered { observations.violation("messages to blocked users got no answer") }
    }
}
