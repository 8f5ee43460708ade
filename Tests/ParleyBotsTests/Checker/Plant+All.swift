import ParleyBots

extension Plant {
    /// Changes that each break a guarantee.
    static let faults: [Plant] = [
        Plant("lost on a socket", .gap, seq: 3, bot: 0) { $0.drop(.saw(bot: 0, seq: 3, message: 3)) },
        Plant("the first lost on a socket", .gap, seq: 1, bot: 1) { $0.drop(.saw(bot: 1, seq: 1, message: 1)) },
        Plant("the last lost on a socket", .gap, seq: 10, bot: 0) { $0.drop(.saw(bot: 0, seq: 10, message: 10)) },
        Plant("the last lost after coming back", .gap, seq: 10, bot: 1) {
            $0.drop(.saw(bot: 1, seq: 10, message: 10))
        },
        Plant("lost in a session that ended", .gap, seq: 2, bot: 1) { $0.drop(.saw(bot: 1, seq: 2, message: 2)) },
        Plant("lost in a replay", .gap, seq: 5, bot: 1, classic: false) {
            $0.drop(.saw(bot: 1, seq: 5, message: 5))
        },
        Plant("the last of a replay lost", .gap, seq: 6, bot: 1, classic: false) {
            $0.drop(.saw(bot: 1, seq: 6, message: 6))
        },
        Plant("everything lost on a socket", .gap, seq: 1, bot: 0) { story in
            story.happenings.removeAll { if case .saw(0, _, _, _) = $0 { true } else { false } }
        },
        Plant("doubled on a socket", .doubled, seq: 3, bot: 0) { story in
            story.happenings.insert(.saw(bot: 0, seq: 3, message: 3), at: story.index(.saw(bot: 0, seq: 4, message: 4)))
        },
        Plant("doubled after a replay", .doubled, seq: 6, bot: 1, classic: false) { story in
            story.happenings.insert(
                .saw(bot: 1, seq: 6, message: 6), at: story.index(.saw(bot: 1, seq: 7, message: 7)))
        },
        Plant("late on a socket", .doubled, seq: 2, bot: 0) { story in
            story.drop(.saw(bot: 0, seq: 2, message: 2))
            story.happenings.append(.saw(bot: 0, seq: 2, message: 2))
        },
        Plant("another message under a seq", .seqReused, seq: 3, bot: nil) { story in
            story.happenings[story.index(.saw(bot: 0, seq: 3, message: 3))] = .saw(bot: 0, seq: 3, message: 13)
        },
        Plant("an epoch that changes without a word", .rolledBack, seq: 3, bot: 0, classic: false) { story in
            story.happenings[story.index(.saw(bot: 0, seq: 3, message: 3))] =
                .saw(bot: 0, seq: 3, message: 3, epoch: "e2")
        },
        Plant("a log that starts over", .rolledBack, seq: 9, bot: 0, classic: false) { story in
            story.happenings.append(.rolledBack(bot: 0, from: 9))
        },
        Plant("left out and not from where the socket was", .gap, seq: 11, bot: 0, classic: false) { story in
            story.happenings.append(.leftOut(bot: 0, 13...14))
        },
        Plant("acked and lost, though nobody saw it", .lost, seq: 11, bot: 1) { story in
            story.happenings.append(.acked(message: 11, seq: 11))
        },
        Plant("seen and not stored", .lost, seq: 11, bot: 1) { story in
            story.happenings.append(.saw(bot: 0, seq: 11, message: 11))
        },
        Plant("lost in the store", .lost, seq: 4, bot: 0) { story in story.history.remove(at: 3) },
        Plant("the history lacks a seq", .gap, seq: 5, bot: 1) { story in story.history.remove(at: 3) },
        Plant("acked at another seq", .seqReused, seq: 9, bot: 0) { story in
            story.happenings[story.index(.acked(message: 10, seq: 10))] = .acked(message: 10, seq: 9)
        },
        Plant("doubled in the store", .doubled, seq: 11, bot: 1) { story in
            story.history.append(.init(epoch: "e1", seq: 11, tag: Story.tag(3)))
        },
        Plant("a seq that stands twice in the store", .seqReused, seq: 10, bot: 1) { story in
            story.history.append(.init(epoch: "e1", seq: 10, tag: Story.tag(11)))
        },
        Plant("reordered in the store, with all sightings", .reordered, seq: 5, bot: 1) { story in
            story.history.swapAt(2, 4)
            (story.history[2].seq, story.history[4].seq) = (3, 5)
        },
        Plant("the history falls back", .reordered, seq: 5, bot: 1) { $0.history.swapAt(4, 5) },
        Plant("another epoch in the store", .seqReused, seq: 3, bot: 1) { $0.history[2].epoch = "e0" },
        Plant("one unread too many", .unread, seq: 9, bot: 1) { $0.unread[1].unread = 2 },
        Plant("one unread too few", .unread, seq: 9, bot: 1) { $0.unread[1].unread = 0 },
        Plant("a cursor that one's own send did not move", .unread, seq: 7, bot: 1) { story in
            story.unread[1] = UnreadCount(bot: 1, thread: 0, unread: 3, readSeq: 7)
        },
        Plant("a send that was never acknowledged", .unanswered, seq: nil, bot: 1, classic: false) { story in
            story.happenings.append(.unanswered(message: 11))
        },
        Plant("a send on a living socket that came nowhere", .lost, seq: nil, bot: 1, classic: true) { story in
            story.happenings.append(.unanswered(message: 11))
        },
    ]

    /// Changes that break no guarantee.
    static let harmless: [Plant] = [
        Plant("left out, named, and fetched", .gap, seq: nil, bot: nil, classic: false) { story in
            for seq in 4...6 as ClosedRange<Int64> { story.drop(.saw(bot: 1, seq: seq, message: Int(seq))) }
            let place = story.index(.replayed(bot: 1, through: 6))
            story.happenings[place] = .leftOut(bot: 1, 4...6)
            for seq in 4...6 as ClosedRange<Int64> {
                story.happenings.append(.fetched(bot: 1, seq: seq, message: Int(seq)))
            }
        },
        Plant("a classic send whose socket broke, and which was lost", .lost, seq: nil, bot: nil, classic: true) {
            $0.happenings.append(.broke(message: 11))
        },
        Plant("events that are no messages are not shown to classic sockets", .gap, seq: nil, bot: nil, classic: true) {
            story in
            story.history[2].isMessage = false
            story.history[2].tag = MessageTag(foreign: "joined".utf8, id: "".utf8)
            story.happenings.removeAll {
                [.saw(bot: 0, seq: 3, message: 3), .saw(bot: 1, seq: 3, message: 3)].contains($0)
            }
            story.drop(.acked(message: 3, seq: 3))
        },
        Plant("a deleted message counts as read", .unread, seq: nil, bot: nil) { story in
            story.history[9].isDeleted = true
            story.unread[1].unread = 0
        },
        Plant("a cursor that was moved back", .unread, seq: nil, bot: nil) { story in
            story.unread[1] = UnreadCount(bot: 1, thread: 0, unread: 6, readSeq: 4, moves: [4])
        },
        Plant("both acks of a send", .lost, seq: nil, bot: nil) { story in
            story.happenings.append(.acked(message: 10, seq: 10, isStored: true))
        },
    ]
}
