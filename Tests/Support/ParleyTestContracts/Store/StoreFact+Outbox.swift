import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// The outbox, and the end of threads and users.
    static let outbox: [StoreFact] = [
        StoreFact("entries are read oldest first, of one thread or all, until they are complete") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            var entries: [OutboxEntry] = []
            for title in ["tea", "milk", "caf\u{E9} \"\\\n\u{1F375}"] {
                for user in [ann, bob] {
                    let id = ThreadID(trusted: "r-\(entries.count)")
                    entries += try await fixture.store.join(user, roomTitled: title, newID: id, at: 5).outbox
                }
            }
            let last = entries[5].thread
            let title = "cafe\u{301} \"\\\n\t"
            entries += try await fixture.store.rename(last, to: title, by: ann.id, at: 6, authorize: anyone).outbox
            #expect(try await fixture.outbox() == entries)
            #expect(entries.map(\.id) == entries.map(\.id).sorted())
            if case .append(.renamed(let kept, _)) = try await fixture.outbox(of: last).last?.content {
                #expect(kept.utf8.elementsEqual(title.utf8))
            } else {
                Issue.record("the new title is not announced")
            }
            #expect(try await fixture.store.outboxEntries(of: nil, limit: 2) == Array(entries[..<2]))
            #expect(try await fixture.store.outboxEntries(of: last, limit: 2) == Array(entries[4..<6]))
            #expect(try await fixture.store.outboxEntries(of: nil, limit: 0).isEmpty)
            #expect(try await fixture.store.overdueEntries(age: 0, after: 0, limit: 2) == Array(entries[..<2]))
            #expect(
                try await fixture.store.overdueEntries(age: 0, after: entries[1].id, limit: 99) == Array(entries[2...]))
            #expect(try await fixture.store.overdueEntries(age: 3_600_000, after: 0, limit: 99).isEmpty)
            try await fixture.store.complete([entries[0], entries[5]])
            try await fixture.store.complete([entries[0]])
            #expect(try await fixture.outbox() == Array(entries[1..<5]) + [entries[6]])
        },
        StoreFact("an entry of a later version is kept, and the others can be read") { fixture in
            let ann = try await fixture.user("ann")
            var entries: [OutboxEntry] = []
            for title in ["tea", "milk"] {
                let id = ThreadID(trusted: "r-\(title)")
                entries += try await fixture.store.join(ann, roomTitled: title, newID: id, at: 5).outbox
            }
            try await fixture.database.apply(.setOutboxKind("news", of: entries[0].id))
            entries[0] = OutboxEntry(id: entries[0].id, thread: entries[0].thread, content: .unreadable(kind: "news"))
            #expect(try await fixture.outbox() == entries)
            #expect(try await fixture.store.overdueEntries(age: 0, after: 0, limit: 9) == entries)
            try await fixture.store.complete([entries[0]])
            #expect(try await fixture.outbox() == [entries[1]])
        },
        StoreFact("a deleted thread is gone with its members, and a new one with its id begins empty") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            for number in 0..<30 { try await fixture.write(fixture.message("\(number)", from: ann, in: room)) }
            try await fixture.forgetOutbox()
            let versions = [try await fixture.version(of: ann), try await fixture.version(of: bob)]
            let deleted = try await fixture.store.deleteThread(room, by: ann.id, authorize: anyone)
            let info = ThreadInfo(id: room, kind: .room, title: "tea")
            #expect(deleted.value == DeletedThread(thread: info, members: [ann.id, bob.id]))
            #expect(deleted.outbox.map(\.content) == [.forgetThread])
            #expect(try await fixture.outbox() == deleted.outbox)
            #expect(try await fixture.store.threads([room]).isEmpty)
            #expect(
                [try await fixture.version(of: ann), try await fixture.version(of: bob)] == versions.map { $0 + 1 })
            let again = try await fixture.store.deleteThread(room, by: ann.id, authorize: anyone)
            #expect(again.value == nil)
            #expect(again.outbox.isEmpty)
            let made = try await fixture.store.join(bob, roomTitled: "tea", newID: room, at: 5)
            #expect(made.value.membership.thread.id == room)
            #expect(made.value.membership.role == .owner)
            #expect(try await fixture.messages(in: room).isEmpty)
            #expect(try await fixture.store.head(of: room) == nil)
            try await fixture.store.completeForgotten(deleted.outbox[0], epochs: [Epoch("gone1"), Epoch("gone2")])
            try await fixture.store.completeForgotten(deleted.outbox[0], epochs: [Epoch("gone1")])
            #expect(try await fixture.outbox() == made.outbox)
        },
        StoreFact("an erasure is announced to every room of the user and every thread they have written to") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (tea, milk) = (try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann, bob))
            let direct = fixture.direct("hello", from: bob, to: ann)
            try await fixture.write(
                fixture.message("1", from: bob, in: milk), fixture.message("2", from: ann, in: tea), direct)
            // For this thread, the log may still contain the user's join.
            let rum = try await fixture.room("rum", ann, bob)
            try await fixture.write(fixture.joined(bob, in: rum))
            for room in [milk, rum] {
                _ = try await fixture.store.removeMember(bob, from: room, by: bob.id, at: 5, authorize: anyone)
            }
            try await fixture.forgetOutbox()
            let erased = try await fixture.store.eraseUser(bob.id, at: 6)
            #expect(erased.value)
            try await fixture.store.finishCleanups()
            let entries = try await fixture.outbox()
            #expect(Set(entries).isSuperset(of: erased.outbox))
            // Only persisters relay the entries of a cleanup, so these are overdue at once.
            let late = try await fixture.store.overdueEntries(age: 3_600_000, after: 0, limit: 99)
            #expect(Set(late) == Set(entries).subtracting(erased.outbox))
            func contents(_ thread: ThreadID) -> [OutboxEntry.Content] {
                entries.filter { $0.thread == thread }.map(\.content)
            }
            #expect(contents(tea) == [.append(.left(.erased(bob.id), by: bob.id)), .redactUser(bob.id)])
            #expect(contents(milk) == [.redactUser(bob.id)])
            #expect(contents(rum) == [.redactUser(bob.id)])
            #expect(contents(direct.thread) == [.redactUser(bob.id)])
            #expect(try await fixture.store.snapshots(of: [bob.id]).isEmpty)
            #expect(try await fixture.texts(in: milk) == ["@1"])
            #expect(try await fixture.store.users(named: ["bob"]).isEmpty)
            let again = try await fixture.store.eraseUser(bob.id, at: 7)
            #expect(again.value)
            #expect(again.outbox.isEmpty)
            #expect(try await fixture.store.eraseUser(UserID(trusted: "u-ghost"), at: 8).value == false)
            try await fixture.store.finishCleanups()
            #expect(try await fixture.outbox() == entries)
        },
        StoreFact("a member of very many threads is erased from all of them") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            var records: [ImportRecord] = []
            for number in 0..<450 {
                let room = ThreadID(trusted: "r-\(number)")
                records.append(.room(id: room, title: "room \(number)"))
                records += [ann, bob].map { .member(thread: room, user: UserReference(id: $0.id), role: nil) }
            }
            _ = try await fixture.store.importRecords(records, at: 5)
            let erased = try await fixture.store.eraseUser(bob.id, at: 6)
            #expect(!erased.outbox.isEmpty)
            try await fixture.store.finishCleanups()
            let entries = try await fixture.outbox()
            #expect(entries.count == 900)
            #expect(Set(entries.map(\.thread)).count == 450)
            #expect(try await fixture.store.memberships(of: [bob.id]).values.joined().isEmpty)
            #expect(try await fixture.store.memberships(of: [ann.id])[ann.id]?.count == 450)
        },
    ]
}
