import ParleyBots

extension CheckerFault {
    /// Changes that each break a guarantee.
    static let faults: [CheckerFault] = [
        CheckerFault("lost on a socket", .gap, seq: 3, bot: 0) { $0.drop(.saw(bot: 0, seq: 3, message: 3)) },
        CheckerFault("the first lost on a socket", .gap, seq: 1, bot: 1) { $0.drop(.saw(bot: 1, seq: 1, message: 1)) },
        CheckerFault("the last lost on a socket", .gap, seq: 10, bot: 0) {
            $0.drop(.saw(bot: 0, seq: 10, message: 10))
        },
        CheckerFault("the last lost after coming back", .gap, seq: 10, bot: 1) {
            $0.drop(.saw(bot: 1, seq: 10, message: 10))
        },
        CheckerFault("lost in a session that ended", .gap, seq: 2, bot: 1) {
            $0.drop(.saw(bot: 1, seq: 2, message: 2))
        },
        CheckerFault("lost in a replay", .gap, seq: 5, bot: 1, classic: false) {
            $0.drop(.saw(bot: 1, seq: 5, message: 5))
        },
        CheckerFault("the last of a replay lost", .gap, seq: 6, bot: 1, classic: false) {
            $0.drop(.saw(bot: 1, seq: 6, message: 6))
        },
        CheckerFault("everything lost on a socket", .gap, seq: 1, bot: 0) { scenario in
            scenario.events.removeAll { if case .saw(0, _, _, _) = $0 { true } else { false } }
        },
        CheckerFault("doubled on a socket", .doubled, seq: 3, bot: 0) { scenario in
            scenario.events.insert(
                .saw(bot: 0, seq: 3, message: 3), at: scenario.index(.saw(bot: 0, seq: 4, message: 4)))
        },
        CheckerFault("doubled after a replay", .doubled, seq: 6, bot: 1, classic: false) { scenario in
            scenario.events.insert(
                .saw(bot: 1, seq: 6, message: 6), at: scenario.index(.saw(bot: 1, seq: 7, message: 7)))
        },
        CheckerFault("late on a socket", .doubled, seq: 2, bot: 0) { scenario in
            scenario.drop(.saw(bot: 0, seq: 2, message: 2))
            scenario.events.append(.saw(bot: 0, seq: 2, message: 2))
        },
        CheckerFault("another message under a seq", .seqReused, seq: 3, bot: nil) { scenario in
            scenario.events[scenario.index(.saw(bot: 0, seq: 3, message: 3))] = .saw(bot: 0, seq: 3, message: 13)
        },
        CheckerFault("an epoch that changes without a word", .rolledBack, seq: 3, bot: 0, classic: false) { scenario in
            scenario.events[scenario.index(.saw(bot: 0, seq: 3, message: 3))] =
                .saw(bot: 0, seq: 3, message: 3, epoch: "e2")
        },
        CheckerFault("a log that starts over", .rolledBack, seq: 9, bot: 0, classic: false) { scenario in
            scenario.events.append(.rolledBack(bot: 0, from: 9))
        },
        CheckerFault("left out and not from where the socket was", .gap, seq: 11, bot: 0, classic: false) { scenario in
            scenario.events.append(.leftOut(bot: 0, 13...14))
        },
        CheckerFault("acked and lost, though nobody saw it", .lost, seq: 11, bot: 1) { scenario in
            scenario.events.append(.acked(message: 11, seq: 11))
        },
        CheckerFault("seen and not stored", .lost, seq: 11, bot: 1) { scenario in
            scenario.events.append(.saw(bot: 0, seq: 11, message: 11))
        },
        CheckerFault("lost in the store", .lost, seq: 4, bot: 0) { scenario in scenario.history.remove(at: 3) },
        CheckerFault("the history lacks a seq", .gap, seq: 5, bot: 1) { scenario in scenario.history.remove(at: 3) },
        CheckerFault("acked at another seq", .seqReused, seq: 9, bot: 0) { scenario in
            scenario.events[scenario.index(.acked(message: 10, seq: 10))] = .acked(message: 10, seq: 9)
        },
        CheckerFault("doubled in the store", .doubled, seq: 11, bot: 1) { scenario in
            scenario.history.append(.init(epoch: "e1", seq: 11, tag: Scenario.tag(3)))
        },
        CheckerFault("a seq that stands twice in the store", .seqReused, seq: 10, bot: 1) { scenario in
            scenario.history.append(.init(epoch: "e1", seq: 10, tag: Scenario.tag(11)))
        },
        CheckerFault("reordered in the store, with all sightings", .reordered, seq: 5, bot: 1) { scenario in
            scenario.history.swapAt(2, 4)
            (scenario.history[2].seq, scenario.history[4].seq) = (3, 5)
        },
        CheckerFault("the history falls back", .reordered, seq: 5, bot: 1) { $0.history.swapAt(4, 5) },
        CheckerFault("another epoch in the store", .seqReused, seq: 3, bot: 1) { $0.history[2].epoch = "e0" },
        CheckerFault("one unread too many", .unread, seq: 9, bot: 1) { $0.unread[1].unread = 2 },
        CheckerFault("one unread too few", .unread, seq: 9, bot: 1) { $0.unread[1].unread = 0 },
        CheckerFault("a cursor that one's own send did not move", .unread, seq: 7, bot: 1) { scenario in
            scenario.unread[1] = UnreadCount(bot: 1, thread: 0, unread: 3, readSeq: 7)
        },
        CheckerFault("a send that was never acknowledged", .unanswered, seq: nil, bot: 1, classic: false) { scenario in
            scenario.events.append(.unanswered(message: 11))
        },
        CheckerFault("a send on a living socket that came nowhere", .lost, seq: nil, bot: 1, classic: true) {
            scenario in
            scenario.events.append(.unanswered(message: 11))
        },
    ]

    /// Changes that break no guarantee.
    static let harmless: [CheckerFault] = [
        CheckerFault("left out, named, and fetched", .gap, seq: nil, bot: nil, classic: false) { scenario in
            for seq in 4...6 as ClosedRange<Int64> { scenario.drop(.saw(bot: 1, seq: seq, message: Int(seq))) }
            let place = scenario.index(.replayed(bot: 1, through: 6))
            scenario.events[place] = .leftOut(bot: 1, 4...6)
            for seq in 4...6 as ClosedRange<Int64> {
                scenario.events.append(.fetched(bot: 1, seq: seq, message: Int(seq)))
            }
        },
        CheckerFault("a classic send whose socket broke, and which was lost", .lost, seq: nil, bot: nil, classic: true)
        {
            $0.events.append(.broke(message: 11))
        },
        CheckerFault(
            "events that are no messages are not shown to classic sockets", .gap, seq: nil, bot: nil, classic: true
        ) {
            scenario in
            scenario.history[2].isMessage = false
            scenario.history[2].tag = MessageTag(foreign: "joined".utf8, id: "".utf8)
            scenario.events.removeAll {
                [.saw(bot: 0, seq: 3, message: 3), .saw(bot: 1, seq: 3, message: 3)].contains($0)
            }
            scenario.drop(.acked(message: 3, seq: 3))
        },
        CheckerFault("a deleted message counts as read", .unread, seq: nil, bot: nil) { scenario in
            scenario.history[9].isDeleted = true
            scenario.unread[1].unread = 0
        },
        CheckerFault("a cursor that was moved back", .unread, seq: nil, bot: nil) { scenario in
            scenario.unread[1] = UnreadCount(bot: 1, thread: 0, unread: 6, readSeq: 4, moves: [4])
        },
        CheckerFault("both acks of a send", .lost, seq: nil, bot: nil) { scenario in
            scenario.events.append(.acked(message: 10, seq: 10, isStored: true))
        },
    ]
}
