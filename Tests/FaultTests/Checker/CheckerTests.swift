import Testing

@Suite("The checker finds what is planted")
struct CheckerTests {
    /// Two clients, one thread, six messages, nothing wrong; the second came back once.
    private func sound() -> (stored: [Int: [Sighting]], journals: [Journal]) {
        let all = (1...6).map { Sighting(thread: 0, epoch: "e", seq: Int64($0), text: "\($0 % 2).\($0)") }
        var one = Journal(threads: [0])
        one.sessions = [Journal.Session(seen: all, sent: all.filter { $0.seq % 2 == 1 }.map(\.text))]
        var two = Journal(threads: [0])
        two.sessions = [
            Journal.Session(seen: Array(all[..<3]), sent: ["0.2", "0.99"], isBroken: true),
            Journal.Session(seen: Array(all[4...]), sent: ["0.6"]),
        ]
        return ([0: all], [one, two])
    }

    @Test("a sound history has no violation")
    func isSound() {
        let history = sound()
        #expect(Checker(stored: history.stored, journals: history.journals).violations() == [])
    }

    typealias Plant = @Sendable (inout [Int: [Sighting]], inout [Journal]) -> Void
    static let plants: [(String, Plant)] = [
        ("lost on a socket", { $1[0].sessions[0].seen.remove(at: 2) }),
        ("the first lost on a socket", { $1[0].sessions[0].seen.removeFirst() }),
        ("the last lost on a socket", { $1[0].sessions[0].seen.removeLast() }),
        ("the last lost after coming back", { $1[1].sessions[1].seen.removeLast() }),
        ("lost in a session that broke", { $1[1].sessions[0].seen.remove(at: 1) }),
        ("doubled on a socket", { $1[0].sessions[0].seen.insert($1[0].sessions[0].seen[1], at: 2) }),
        ("reordered on a socket", { $1[0].sessions[0].seen.swapAt(1, 2) }),
        ("lost in the store", { stored, _ in _ = stored[0]?.remove(at: 3) }),
        (
            "the last lost in the store, seen by nobody",
            { stored, journals in
                stored[0]?.removeLast()
                for client in journals.indices {
                    for session in journals[client].sessions.indices {
                        journals[client].sessions[session].seen.removeAll { $0.seq == 6 }
                    }
                }
            }
        ),
        (
            "doubled in the store",
            { stored, _ in
                stored[0]?.append(Sighting(thread: 0, epoch: "e", seq: 7, text: "1.1"))
            }
        ),
        (
            "a seq used twice",
            { stored, _ in
                stored[0]?.append(Sighting(thread: 0, epoch: "e", seq: 6, text: "1.7"))
            }
        ),
        (
            "another text under a seq",
            { $1[0].sessions[0].seen[1] = Sighting(thread: 0, epoch: "e", seq: 2, text: "1.8") }
        ),
        ("another epoch", { $1[0].sessions[0].seen[1] = Sighting(thread: 0, epoch: "f", seq: 2, text: "0.2") }),
    ]

    @Test("each planted fault is found", arguments: plants.indices)
    func finds(_ index: Int) {
        var history = sound()
        Self.plants[index].1(&history.stored, &history.journals)
        let violations = Checker(stored: history.stored, journals: history.journals).violations()
        #expect(!violations.isEmpty, "\(Self.plants[index].0)")
    }
}
