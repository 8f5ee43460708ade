package import ParleyModel
package import ParleyStorage

/// A transaction that changes state: it loads facts, and executes the decision that depends on them.
///
/// `members`, `room`, `link` and `erasure` begin the transaction, so one of them must be the first call, except in a step of a
/// cleanup. Locks are taken in this order: cleanup, thread, user, erasure, cursors.
package struct StateTransaction: StateFacts {
    let connection: PostgresConnection
    /// The current time by this node's clock, in Unix milliseconds.
    let now: Int64

    // MARK: Facts

    package func members(
        of thread: ThreadID, requester: UserID, subject: UserID?, isSubjectHeld: Bool
    ) throws -> MemberFacts {
        let id = Parameter.text(thread.text)
        var pipeline = Pipeline(Statement.begin(), Locks.stateOfThread(id))
        let roles = pipeline.add(StateQueries.roles(id, .text(requester.text), .text(subject?.text)))
        let held = isSubjectHeld ? pipeline.add(StateQueries.holdUser(.text(subject?.text))) : nil
        let replies = try connection.run(pipeline)
        return MemberFacts(
            roles: try replies.first(roles) ?? MemberRoles(thread: nil, requester: nil, subject: nil),
            isSubjectPresent: held.map { replies.count($0) == 1 } ?? false)
    }

    /// Looks the room up again if it, or the membership in it, is changed concurrently.
    package func room(_ new: NewRoom, for user: UserID, at milliseconds: Int64) throws -> RoomFacts {
        for _ in 0..<PostgresStore.stateAttempts {
            let isListed = new.visibility == .public
            let (title, member) = (Parameter.text(new.title), Parameter.text(user.text))
            var pipeline = Pipeline(Statement.begin())
            if !isListed { pipeline.add(AccountQueries.lockTitle(member, title)) }
            let own = pipeline.add(AccountQueries.membershipsByTitle(title, member))
            let listed = pipeline.add(AccountQueries.publicRoomOfTitle(title))
            let replies = try connection.run(pipeline)
            let entered = StateRules.entered(try replies.all(own), or: try replies.first(listed))
            let found: (room: ThreadInfo, isNew: Bool)? =
                if let entered { (room: entered, isNew: false) } else { try create(new, at: milliseconds) }
            if let found, let facts = try facts(of: found.room, isNew: found.isNew, for: user) { return facts }
            guard connection.recover() else { break }
        }
        throw StoreError.unavailable(
            "the room was changed concurrently in each of \(PostgresStore.stateAttempts) attempts")
    }

    /// Creates a room, or finds the public one that a concurrent transaction has created.
    /// - Returns: `nil` if that room has been changed since.
    private func create(_ new: NewRoom, at milliseconds: Int64) throws -> (room: ThreadInfo, isNew: Bool)? {
        let (id, title) = (Parameter.text(new.id.text), Parameter.text(new.title))
        var pipeline = Pipeline()
        guard new.visibility == .public else {
            pipeline.add(
                AccountQueries.insertClosedRoom(
                    id, title, .int(milliseconds), .text(new.visibility.rawValue), .text(new.history.rawValue)
                ).call)
            _ = try connection.run(pipeline)
            return (new.info, true)
        }
        let insertion = pipeline.add(
            AccountQueries.insertRoom(id, title, .int(milliseconds), .text(new.history.rawValue)))
        let found = pipeline.add(AccountQueries.publicRoomOfTitle(title))
        let replies = try connection.run(pipeline)
        let isNew = replies.count(insertion) == 1
        return try replies.first(found).map { (room: $0, isNew: isNew) }
    }

    /// - Returns: `nil` if the room no longer has the title and the visibility, or if the user is no longer a member of a
    ///   room that only members enter by its title.
    private func facts(of room: ThreadInfo, isNew: Bool, for user: UserID) throws -> RoomFacts? {
        let (thread, member) = (Parameter.text(room.id.text), Parameter.text(user.text))
        // Locks the user after the thread, in the same order as an erasure.
        var pipeline = Pipeline(Locks.stateOfThread(thread))
        let held = pipeline.add(StateQueries.holdUser(member))
        let membership = pipeline.add(
            StateQueries.memberOfRoom(thread, .text(room.title), member, .text(room.visibility.rawValue)))
        let replies = try connection.run(pipeline)
        guard let membership = try replies.first(membership) else { return nil }
        guard isNew || room.visibility == .public || membership.role != nil else { return nil }
        return RoomFacts(
            room: room, isNew: isNew, isUserPresent: replies.count(held) == 1, role: membership.role,
            restrictions: membership.restrictions, sanctions: membership.sanctions, history: membership.history,
            start: membership.start, options: membership.options)
    }

    package func details(of thread: ThreadID) throws -> RoomDetails {
        var pipeline = Pipeline()
        let details = pipeline.add(StateQueries.details(.text(thread.text)))
        return try connection.run(pipeline).first(details) ?? RoomDetails()
    }

    package func deletion(of thread: ThreadID) throws -> DeletionFacts {
        var pipeline = Pipeline()
        let epoch = pipeline.add(StateQueries.holdThread(.text(thread.text)))
        let members = pipeline.add(StateQueries.membersOfThread(.text(thread.text)))
        let replies = try connection.run(pipeline)
        return DeletionFacts(members: try replies.all(members), epoch: try replies.first(epoch) ?? "")
    }

    package func threads(among threads: [ThreadID], withEntry content: OutboxEntry.Content) throws -> Set<ThreadID> {
        let (ids, stored) = (Parameter.texts(threads.map(\.text)), content.stored)
        var pipeline = Pipeline(Locks.stateOfThreads(ids))
        let pending = pipeline.add(ErasureQueries.pending(ids, .text(stored.kind), .text(stored.payload)))
        return Set(try connection.run(pipeline).all(pending))
    }

    // MARK: Execution

    /// Executes a decision and commits.
    func commit<Value>(_ decision: StateDecision<Value>) throws -> StateChange<Value> {
        var pipeline = Pipeline()
        for change in decision.changes { pipeline.add(calls(of: change)) }
        let ids = decision.outbox.isEmpty ? nil : pipeline.add(Self.insertion(of: decision.outbox))
        for case .addMember(let user, let thread, _, .sinceJoining, _) in decision.changes {
            pipeline.add(StateQueries.beginLog(.text(thread.text), .text(user.text)))
        }
        pipeline.add(Statement.commit())
        let replies = try connection.run(pipeline)
        guard let ids else { return StateChange(decision.value) }
        let entries = zip(try replies.all(ids).sorted(), decision.outbox).map { id, draft in
            OutboxEntry(id: id, thread: draft.thread, content: draft.content)
        }
        return StateChange(decision.value, outbox: entries)
    }

    /// - Parameter isOverdue: whether only persisters relay the entries. They then need not wait for this node.
    static func insertion(of drafts: [OutboxEntry.Draft], isOverdue: Bool = false) -> TypedCall<Int64> {
        let stored = drafts.map(\.content.stored)
        return StateQueries.insertOutboxEntries(
            .texts(drafts.map(\.thread.text)), .texts(stored.map(\.kind)), .texts(stored.map(\.payload)),
            .int(isOverdue ? 0 : nil))
    }

    func calls(of change: TableChange) -> [Call] {
        switch change {
        case .addMember(let user, let thread, let role, let history, let milliseconds):
            let id = Parameter.text(thread.text)
            let start = history == .all ? 0 : HistoryStart.pending
            return [
                Locks.cursorsOfThread(id),
                AccountQueries.insertMember(
                    id, .text(user.text), .text(role.rawValue), .int(milliseconds), .int(start)
                ).call,
            ]
        case .setRole(let user, let thread, let role):
            return [StateQueries.setRole(.text(role.rawValue), .text(thread.text), .text(user.text))]
        case .removeMember(let user, let thread):
            return [StateQueries.removeMember(.text(thread.text), .text(user.text))]
        case .leave(let user, let threads):
            return [StateQueries.leaveThreads(.text(user.text), .texts(threads.map(\.text)))]
        case .restrict(let user, let thread, let kind, let milliseconds):
            return [
                StateQueries.restrict(
                    .text(thread.text), .text(user.text), .text(kind.rawValue), .int(milliseconds))
            ]
        case .sanction(let user, let thread, let sanction, let author, let milliseconds):
            return [
                SanctionQueries.put(
                    .text(thread.text), .text(user.text), .text(sanction.kind.rawValue), .int(sanction.until),
                    .text(sanction.reason), .text(author?.text), .int(milliseconds))
            ]
        case .endSanction(let kind, let user, let thread):
            return [SanctionQueries.end(.text(thread.text), .text(user.text), .text(kind.rawValue))]
        case .addLink(let link, let code, let thread):
            return [
                LinkQueries.insert(
                    .text(link.id.text), .text(thread.text), .text(code.text), .text(link.author.text),
                    .int(link.since), .int(link.until), .int(link.uses), .int(link.used))
            ]
        case .removeLinks(let links, let thread):
            return [LinkQueries.remove(.text(thread.text), .texts(links.map(\.text)))]
        case .useLink(let link, let thread, let milliseconds):
            return [LinkQueries.use(.text(thread.text), .text(link.text), .int(milliseconds))]
        case .entrance(let row, let user, let thread): return calls(of: row, of: user, in: thread)
        case .createGroup(let thread, let title, let milliseconds):
            return [EntranceQueries.insertGroup(.text(thread.text), .text(title), .int(milliseconds))]
        case .setTitle(let title, let thread):
            return [WriteQueries.rename(.text(title), .text(thread.text))]
        case .setVisibility(let visibility, let thread):
            return [StateQueries.setVisibility(.text(visibility.rawValue), .text(thread.text))]
        case .setHistory(let history, let thread):
            return [StateQueries.setHistory(.text(history.rawValue), .text(thread.text))]
        case .setRoom(let details, let thread):
            return [
                StateQueries.setRoom(
                    .text(details.options.stored), .text(details.description), .text(details.rules),
                    .text(thread.text))
            ]
        case .setPicture(let picture, let thread): return calls(ofPicture: picture, of: thread)
        case .endEpoch(let epoch, let thread):
            return [StateQueries.insertDeletedEpochs(.text(thread.text), .texts([epoch]), .int(now))]
        case .deleteThread(let thread):
            return [ThreadQueries.deleteThread(.text(thread.text)), Self.insertion(of: .thread(thread))]
        case .audit(let note):
            return [AuditQueries.insertion(of: note, at: now)]
        case .eraseUser(let user, let milliseconds, let actor):
            let (id, stored) = (Parameter.text(user.text), actor.stored)
            return [
                AuditQueries.erasure(
                    id, .int(milliseconds), .text(stored.kind), .text(stored.id)),
                AuditQueries.forgetReasons(id),
                ErasureQueries.user(.text(User.erased(user).name), .int(milliseconds), id),
                ErasureQueries.sessions(id), UnseenQueries.ofUser(id), Self.insertion(of: .user(user)),
            ]
        case .eraseMessages(let messages, let user):
            let (threads, seqs) = (Parameter.texts(messages.map(\.thread.text)), Parameter.ints(messages.map(\.seq)))
            return [
                ErasureQueries.messages(.text(User.erased(user).name), threads, seqs),
                WriteQueries.forgetReactions(threads, seqs),
                WriteQueries.forgetEdits(threads, .texts(messages.map(\.id.text))),
            ]
        case .eraseRejects(let user):
            return [ErasureQueries.rejects(.bytes(Array("\"user_id\":\"\(user)\"".utf8)))]
        }
    }

    private static func insertion(of subject: Cleanup.Subject) -> Call {
        StateQueries.insertCleanup(subject.parameters.kind, subject.parameters.id)
    }
}
