import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

/// A fault in front of the members of a roster, on real sockets.
@Suite(.timeLimit(.minutes(5))) struct PlantedFaultTests {
    static let faults: [(order: String, expected: [String])] = [
        ("drop:3", ["a", "c"]), ("double:3", ["a", "b", "b", "c"]), ("swap:3", ["a", "c", "b"]),
        ("drop:300", ["a", "b", "c"]),
    ]

    @Test("strikes one delivery of one socket, in every dialect", arguments: faults, ["parley.v1", nil])
    func strike(fault: (order: String, expected: [String]), subprotocol: String?) async throws {
        let order = try #require(PlantedFault.Order(fault.order))
        try await Node.run(loops: 1, fault: order) { node in
            let alice = try await node.inside.person("alice")
            let room = try await node.inside.room("one", [alice])
            // The first socket of the user gets each event first, so it gets the odd deliveries.
            let receiver: TestSocket
            if let subprotocol {
                receiver = try await node.socket(alice, subprotocol)
                try await receiver.begin()
            } else {
                receiver = try await node.socket(alice)
            }
            let sender = try await node.socket(alice)
            for text in ["a", "b", "c"] {
                try await sender.say(text, in: room.id.text)
                #expect(try await sender.nextText() == text)
            }
            var texts: [String] = []
            for _ in fault.expected { texts.append(try await receiver.nextText() ?? "") }
            #expect(texts == fault.expected)
            let struck = node.inside.counted("parley_planted_faults_total", [("kind", order.kind.rawValue)])
            #expect(struck == (order.delivery == 3 ? 1 : 0))
            for socket in [receiver, sender] { try await socket.close() }
            try await node.isEmpty()
        }
    }

    @Test("an order is a kind, a colon and a number")
    func orders() {
        #expect(PlantedFault.Order("drop:60")?.delivery == 60)
        for wrong in ["drop", "drop:0", "lose:3", "drop:x", ""] { #expect(PlantedFault.Order(wrong) == nil) }
    }
}
