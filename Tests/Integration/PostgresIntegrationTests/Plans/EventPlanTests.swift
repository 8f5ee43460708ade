import ParleyPostgres
import ParleyTestSupport
import Testing

@Suite("Plans of the stream of stored events", .serialized)
struct EventPlanTests {
    private func plans(of call: Call) async throws -> [Plan] {
        let connection = try await LargeDatabase.database().connection()
        return try [true, false].map { try Plan.of(call, isGeneric: $0, on: connection) }
    }

    @Test(
        "a page reads as many batches of each lane as it asks for, wherever it begins", arguments: [0, 25_000, 49_990])
    func page(place: Int64) async throws {
        let call = EventQueries.batches(.ints([0, 1]), .ints([place, place]), .int(64), .int(32_768))
        for plan in try await plans(of: call.call) {
            #expect(plan.rowsRead(of: "event_batches") <= 128, "\(plan)")
            #expect(
                plan.scans.allSatisfy { $0.table != "event_batches" || $0.index == "event_batches_pkey" }, "\(plan)")
        }
    }

    @Test("the end of the stream and the check of a cursor read a row for each lane")
    func ends() async throws {
        for call in [EventQueries.ends().call, EventQueries.known(.ints([0, 1]), .ints([50_000, 49_999])).call] {
            for plan in try await plans(of: call) {
                #expect(plan.rowsRead(of: "event_batches") <= 4, "\(plan)")
            }
        }
    }

    @Test("the age of what groups have not read costs a row for each lane of each group")
    func groups() async throws {
        let call = EventQueries.oldest(
            .ints([0, 0, 1, 1]), .ints([0, 1, 0, 1]), .ints([0, 25_000, 49_990, 50_000]))
        for plan in try await plans(of: call.call) {
            #expect(plan.rowsRead(of: "event_batches") <= 4, "\(plan)")
            #expect(
                plan.scans.allSatisfy { $0.table != "event_batches" || $0.index == "event_batches_pkey" }, "\(plan)")
        }
    }

    @Test("the rows of the audit log after a place are read by its index")
    func audit() async throws {
        for plan in try await plans(of: AuditQueries.unread(.int(5), .int(64)).call) {
            #expect(plan.rowsRead(of: "audit") <= 64, "\(plan)")
        }
        for plan in try await plans(of: AuditQueries.head(.int(5)).call) {
            #expect(plan.rowsRead(of: "audit") <= 1 && plan.rowsRead(of: "audit_head") <= 1, "\(plan)")
        }
    }

    @Test("events are read by their places only")
    func places() async throws {
        let threads = Parameter.texts((0..<100).map { _ in "big" })
        let seqs = Parameter.ints((1...100).map { Int64($0) })
        for call in [EventQueries.messages(threads, seqs), EventQueries.events(threads, seqs)] {
            for plan in try await plans(of: call) {
                // The other table is small here.
                #expect(plan.scans.allSatisfy { $0.table != "messages" || $0.kind != "Seq Scan" }, "\(plan)")
                #expect(plan.rowsRead(of: "messages") <= 100, "\(plan)")
            }
        }
    }
}
