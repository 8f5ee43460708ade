import ParleyGateway
import ParleyModel
import Testing

/// The cases of the Autobahn test suite (25.10) against the listener, which sends every message back, takes frames of
/// any size, and accepts binary ones; everything else is as it is for clients.
///
/// `make autobahn` runs the cases of sections 9, 12 and 13 in their full sizes and numbers.
@Suite("Autobahn", .serialized, .timeLimit(.minutes(60))) struct AutobahnTests {
    @Test("every case of a section", arguments: [1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13])
    func section(number: Int) async throws {
        try await Node.run({
            $0.echoes = true
            $0.limits.frameBytes = 32 << 20
        }) { node in
            let alice = try await node.inside.person("alice")
            for test in AutobahnCase.all where test.section == number {
                do {
                    try await AutobahnClient.play(test, port: node.port) { node.handshake(alice, $0) }
                } catch {
                    Issue.record("Autobahn \(test.number): \(error)")
                }
            }
            try await node.isEmpty()
        }
    }

    @Test("the table has the 517 cases of the suite, each once")
    func table() {
        let numbers = AutobahnCase.all.map(\.number)
        #expect(numbers.count == 517 && Set(numbers).count == 517)
        let counts = Dictionary(AutobahnCase.all.map { ($0.section, 1) }, uniquingKeysWith: +)
        #expect(
            counts == [1: 16, 2: 11, 3: 7, 4: 10, 5: 20, 6: 145, 7: 37, 9: 54, 10: 1, 12: 90, 13: 126], "\(counts)")
    }
}
