import ParleyModel
import ParleyStorage
import Testing

@Suite("The schema steps of a database")
struct SchemaHistoryTests {
    @Test(
        "a program works with a database that has its steps, and with later ones that allow it",
        arguments: [
            (SchemaHistory(), SchemaHistory.Finding.empty),
            (SchemaHistory(steps: [1], oldestNode: 1), .behind(step: 1, of: 2)),
            (SchemaHistory(steps: [1, 2], oldestNode: 1), .complete),
            (SchemaHistory(steps: [1, 2], oldestNode: 2), .complete),
            (SchemaHistory(steps: [1, 2, 3], oldestNode: 2), .complete),
            // A step of another version in between is missing.
            (SchemaHistory(steps: [1, 3], oldestNode: 1), .behind(step: 3, of: 2)),
        ])
    func findings(history: SchemaHistory, finding: SchemaHistory.Finding) throws {
        #expect(try history.compare(with: 2) == finding)
        if finding == .complete {
            try history.require(2)
        } else {
            #expect {
                try history.require(2)
            } throws: { error in
                if case StoreError.unavailable = error { true } else { false }
            }
        }
    }

    @Test(
        "a program refuses a database of a version that it does not work with",
        arguments: [
            (SchemaHistory(steps: [1, 2, 3], oldestNode: 3), "a newer version of Parley (schema step 3"),
            (SchemaHistory(isUnreleased: true), "from before version 0.1.0"),
        ])
    func refusals(history: SchemaHistory, text: String) {
        for use in [{ _ = try history.compare(with: 2) }, { try history.require(2) }] as [() throws -> Void] {
            #expect {
                try use()
            } throws: { error in
                if case StoreError.failed(let reason) = error { reason.contains(text) } else { false }
            }
        }
    }
}
