import ParleyModel
import Testing

private let anyRole: Authorization = { _ in }

extension StoreFact {
    /// Groups, invitations and requests.
    static let entrances: [StoreFact] = groups + invited + requested + handedOver

    private static let groups: [StoreFact] = [
        StoreFact("a group is private, has its maker as owner, and is named by its first members until it has a title")
        {
            fixture in
            let users = try await fixture.users(["ann", "bob", "cat", "dan", "eve", "fay"])
            let group = NewGroup(id: ThreadID(trusted: "g"), title: nil, maker: users[0], members: Array(users[1...]))
            let change = try await fixture.store.createGroup(group, at: 5)
            let title = users.sorted { $0.id.text < $1.id.text }.prefix(5).map(\.name).joined(separator: ", ")
            let info = ThreadInfo(id: group.id, kind: .group, title: title)
            #expect(change.value == GroupCreation(thread: info))
            #expect(info.visibility == .private)
            let joined = users.map { user in
                OutboxEntry.Content.append(.joined(user, by: user == users[0] ? nil : users[0].id))
            }
            #expect(change.outbox.map(\.content) == joined)
            for user in users {
                let member = Membership(thread: info, role: user == users[0] ? .owner : .member)
                #expect(try await fixture.membership(of: user, in: group.id) == member)
                #expect(try await fixture.store.thread(group.id, of: user.id)?.membership == member)
                #expect(try await fixture.store.memberships(of: [user.id])[user.id] == [member])
                #expect(try await fixture.store.snapshots(of: [user.id])[user.id]?.memberships == [member])
                #expect(try await fixture.store.inbox(of: user.id).map(\.thread.title) == [title])
            }
            #expect(try await fixture.store.threads([group.id])[group.id] == info)
            let first = try #require(users.min { $0.id.text < $1.id.text })
            _ = try await fixture.store.removeMember(
                first, from: group.id, by: first.id, isRemoval: false, at: 6, authorize: anyRole)
            let rest = users.filter { $0 != first }.sorted { $0.id.text < $1.id.text }.map(\.name)
            #expect(try await fixture.store.threads([group.id])[group.id]?.title == rest.joined(separator: ", "))
            // A group with a title is not entered by it, and shares it with a room.
            let renamed = try await fixture.store.rename(
                group.id, to: "tea", by: users[0].id, at: 7, authorize: anyRole)
            #expect(renamed.value?.after.title == "tea")
            let room = try await fixture.store.join(
                users[0], roomTitled: "tea", newID: ThreadID(trusted: "t"), at: 8, authorize: anyRole)
            #expect(room.value.membership.thread == ThreadInfo(id: ThreadID(trusted: "t"), kind: .room, title: "tea"))
            #expect(try await fixture.store.threads([group.id])[group.id]?.title == "tea")
        },
        StoreFact("a group with an unknown or erased member is not created") { fixture in
            let users = try await fixture.users(["ann", "bob", "cat"])
            #expect(try await fixture.store.eraseUser(users[2].id, at: 4).value)
            try await fixture.forgetOutbox()
            let none = User(id: UserID(trusted: "none"), name: "none")
            let group = NewGroup(
                id: ThreadID(trusted: "g"), title: "g", maker: users[0], members: [users[1], users[2], none])
            let change = try await fixture.store.createGroup(group, at: 5)
            #expect(change.value.missing == [users[2].id, none.id] && change.outbox.isEmpty)
            #expect(try await fixture.store.threads([group.id]).isEmpty)
            let two = NewGroup(id: group.id, title: "g", maker: users[0], members: [users[1]])
            #expect(try await fixture.store.createGroup(two, at: 5).value.missing.isEmpty)
            await #expect(throws: StoreError.taken) { try await fixture.store.createGroup(two, at: 5) }
        },
    ]

    private static let invited: [StoreFact] = [
        StoreFact("an invitation is seen by the user and in the thread while it lasts, and ends with the membership") {
            fixture in
            let users = try await fixture.users(["ann", "bob", "cat"])
            let tea = try await fixture.room("tea", users[0])
            let invitation = Invitation(by: users[0].id, text: "ä", since: 5, until: 100)
            let facts = try await fixture.change(.invite(invitation), of: users[1], in: tea, by: users[0]).value.before
            #expect(facts.invitation == nil && facts.isSubjectPresent && facts.roles.requester == .owner)
            #expect(facts.counts == EntranceCounts())
            let info = ThreadInfo(id: tea, kind: .room, title: "tea")
            func record(_ user: User, _ invitation: Invitation) -> InvitationRecord {
                InvitationRecord(thread: info, user: user, author: users[0], invitation: invitation)
            }
            func list(_ user: User, at now: Int64 = 99) async throws -> [InvitationRecord] {
                try await fixture.store.invitations(of: user.id, at: now, after: nil, limit: 9)
            }
            #expect(try await list(users[1]) == [record(users[1], invitation)])
            #expect(try await list(users[1], at: 100).isEmpty)
            #expect(try await fixture.store.invitations(of: users[1].id, at: 9, after: tea, limit: 9).isEmpty)
            let other = Invitation(by: users[0].id, since: 6)
            let second = try await fixture.change(.invite(other), of: users[2], in: tea, by: users[0]).value.before
            #expect(second.counts == EntranceCounts(invitationsOfThread: 1))
            let all = [record(users[1], invitation), record(users[2], other)].sorted {
                $0.user.id.text < $1.user.id.text
            }
            #expect(try await fixture.store.invitations(in: tea, at: 99, after: nil, limit: 9) == all)
            let rest = try await fixture.store.invitations(in: tea, at: 99, after: all[0].user.id, limit: 9)
            #expect(rest == [all[1]])
            // Another one takes its place.
            let again = try await fixture.change(.invite(other), of: users[1], in: tea, by: users[0]).value.before
            #expect(again.invitation == invitation && again.counts.invitationsOfUser == 1)
            let joined = try await fixture.change(.acceptInvitation, of: users[1], in: tea, by: users[1])
            #expect(joined.value.member == MemberChange(thread: info, before: nil, after: .member))
            #expect(joined.outbox.map(\.content) == [.append(.joined(users[1]))])
            #expect(try await list(users[1]).isEmpty)
            _ = try await fixture.change(.endInvitation, of: users[2], in: tea, by: users[2])
            #expect(try await list(users[2]).isEmpty)
        },
        StoreFact("a ban, an erasure of either, and the deletion of the thread end invitations") { fixture in
            let users = try await fixture.users(["ann", "bob", "cat", "dan"])
            let (tea, milk) = (try await fixture.room("tea", users[0]), try await fixture.room("milk", users[3]))
            func invite(_ user: User, to thread: ThreadID, by author: User) async throws {
                let invitation = Invitation(by: author.id, since: 5)
                _ = try await fixture.change(.invite(invitation), of: user, in: thread, by: author)
            }
            func expect(_ count: Int64) async throws {
                #expect(try await fixture.database.count(.invitations) == count)
            }
            try await invite(users[1], to: tea, by: users[0])
            try await invite(users[2], to: tea, by: users[0])
            try await invite(users[1], to: milk, by: users[3])
            try await expect(3)
            _ = try await fixture.store.sanction(
                users[1], in: tea, Sanction(.ban), author: nil, by: users[0].id, at: 6, authorize: anyRole)
            try await expect(2)
            #expect(try await fixture.store.eraseUser(users[3].id, at: 7).value)
            try await expect(1)
            _ = try await fixture.store.deleteThread(tea, by: users[0].id, authorize: anyRole)
            try await expect(0)
            let tea2 = try await fixture.room("tea2", users[0])
            try await invite(users[2], to: tea2, by: users[0])
            #expect(try await fixture.store.eraseUser(users[2].id, at: 7).value)
            try await expect(0)
            try await invite(users[2], to: tea2, by: users[0])
            try await expect(0)
        },
        StoreFact("changes of invitations and requests are in the feed, by user and by thread") { fixture in
            let users = try await fixture.users(["ann", "bob"])
            let tea = try await fixture.room("tea", users[0])
            let none = ThreadID(trusted: "none")
            let changes: [(EntranceChange, ThreadID, Set<EntranceTopic>)] = [
                (.invite(Invitation(by: users[0].id, since: 5)), tea, [.user(users[1].id), .thread(tea)]),
                (.endInvitation, tea, [.user(users[1].id), .thread(tea)]),
                (.request(JoinRequest(since: 5)), tea, [.thread(tea)]),
                (.refuseRequest, tea, [.thread(tea)]),
                (.request(JoinRequest(since: 5)), none, [.thread(none)]),
                (.withdrawRequest, none, [.thread(none)]),
            ]
            for (change, thread, topics) in changes {
                let mark = try await fixture.store.changes(since: nil, limit: 9).mark
                _ = try await fixture.change(change, of: users[1], in: thread, by: users[0])
                let page = try await fixture.store.changes(since: mark, limit: 9)
                #expect(Set(page.entrances) == topics, "\(change)")
                #expect(page.users.isEmpty, "\(change)")
            }
        },
    ]
}
