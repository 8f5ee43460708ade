import ParleyModel
import ParleyPostgres
import ParleyTestSupport
import Testing

/// Checks executed plans: a query that scans rows works in a test and fails on a large site.
@Suite("Plans of PostgreSQL", .serialized)
struct PlanTests {
    private func plans(of call: Call) async throws -> [Plan] {
        let connection = try await LargeDatabase.database().connection()
        return try [true, false].map { try Plan.of(call, isGeneric: $0, on: connection) }
    }

    @Test(
        "no table is scanned, and only requested messages are read",
        arguments: PlannedCall.pages + PlannedCall.dates + PlannedCall.others + PlannedCall.attachments)
    func searches(example: PlannedCall) async throws {
        for plan in try await plans(of: example.call) {
            #expect(!plan.scans.isEmpty || plan.kind == "ModifyTable", "\(plan)")
            #expect(plan.scans.allSatisfy { $0.kind != "Seq Scan" }, "\(plan)")
            #expect(plan.rowsRead(of: "messages") <= example.messages, "\(plan)")
        }
    }

    @Test("a page is read in index order, without sorting", arguments: PlannedCall.pages)
    func isInOrder(example: PlannedCall) async throws {
        for plan in try await plans(of: example.call) {
            // Whether an author is being erased, and the author's display name, are looked up in addition.
            let nodes = plan.nodes.filter { $0.kind != "Limit" && $0.table != "cleanups" && $0.table != "users" }
            let authors = plan.scans.filter { $0.table == "users" }
            #expect(authors.allSatisfy { $0.index == "users_pkey" && $0.rows <= 1 }, "\(plan)")
            #expect(nodes.map(\.index) == ["messages_pkey"], "\(plan)")
        }
    }

    @Test("a date is found by bisection along the primary key", arguments: PlannedCall.dates)
    func isBisected(example: PlannedCall) async throws {
        for plan in try await plans(of: example.call) {
            #expect(plan.scans.allSatisfy { $0.index == "messages_pkey" && $0.rows <= 1 }, "\(plan)")
        }
    }

    @Test("what is found by a hash reads nothing else", arguments: PlannedCall.hashed)
    func isHashed(_ planned: PlannedCall) async throws {
        for plan in try await plans(of: planned.call) {
            let indexes = plan.nodes.compactMap(\.index)
            #expect(indexes.contains { $0.hasPrefix("messages_by_hashed_") }, "\(plan)")
            #expect(plan.rowsRead(of: "messages") <= planned.messages, "\(plan)")
        }
    }

    @Test(
        "a list of two hundred threads reads one message each, and sorts only itself",
        arguments: PlannedCall.lists)
    func list(_ planned: PlannedCall) async throws {
        for plan in try await plans(of: planned.call) {
            #expect(plan.rows == 200)
            // Deleted messages are counted in an index of their own.
            let counts = plan.scans.filter { $0.index == "messages_deleted" }
            #expect(counts.allSatisfy { $0.kind == "Index Only Scan" && $0.rows == 0 }, "\(plan)")
            let messages = plan.scans.filter { $0.table == "messages" && $0.index != "messages_deleted" }
            #expect(messages.allSatisfy { $0.kind == "Index Scan" && $0.index == "messages_pkey" }, "\(plan)")
            // The last message of each thread, and the last read one where its number is unknown.
            #expect(plan.rowsRead(of: "messages") == 200 + 20, "\(plan)")
            #expect(plan.scans.allSatisfy { $0.kind != "Seq Scan" }, "\(plan)")
            #expect(plan.rowsRead(of: "threads") == 200, "\(plan)")
            #expect(plan.rowsRead(of: "members") == 200, "\(plan)")
            #expect(plan.rowsRead(of: "users") <= 200, "\(plan)")
            let sorts = plan.nodes.filter { $0.kind.contains("Sort") }
            #expect(sorts.allSatisfy { $0.rows * $0.loops <= 200 }, "\(plan)")
        }
    }

    @Test("the store returns the expected pages and inbox")
    func responses() async throws {
        let store = try await LargeDatabase.database().openStore()
        let inbox = try await store.inbox(of: UserID(trusted: "busy"))
        #expect(inbox.count == 200)
        #expect(inbox.first?.thread.id.text == "big")
        #expect(inbox.first?.unreadCount == LargeDatabase.size - 5)
        #expect(inbox.dropFirst().allSatisfy { $0.unreadCount == 15 })
        let middle = LargeDatabase.start / 1000 + LargeDatabase.size / 2
        let page = try await store.messages(in: ThreadID(trusted: "big"), MessageQuery(before: middle, limit: 30))
        #expect(page.messages.map(\.position.seq) == (0..<30).map { LargeDatabase.size / 2 - 1 - $0 })
        #expect(!page.isEnd)
        await store.close()
    }
}
