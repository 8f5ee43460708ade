/// Scenarios about events: gaps, replays, repetitions, a log that starts over.
extension Scenario {
    static let events: [Scenario] = [
        Scenario(
            "resume", "the client misses events twice while it is away",
            [
                .act(.post(3)), .settle, .act(.cut), .act(.post(2)), .back(), .caughtUp, .act(.post(1)), .settle,
                .act(.cut), .back(3), .caughtUp, .settle,
            ]),
        Scenario(
            "gap", "an event is left out of the live ones",
            [.act(.post(2)), .settle, .act(.hide(2)), .act(.post(1)), .caughtUp, .settle, .act(.cut), .back(), .settle]),
        Scenario(
            "behind", "the server says that it has left events out",
            [
                .act(.post(2)), .settle, .act(.hide(3)), .act(.sayBehind), .caughtUp, .settle, .act(.cut), .back(),
                .settle,
            ]),
        Scenario(
            "page", "the answer to the resume is: fetch it",
            [
                .act(.post(2)), .settle, .act(.answerWithPage), .act(.cut), .act(.post(3)), .back(), .caughtUp, .settle,
                .act(.cut), .back(3), .settle,
            ]),
        Scenario(
            "repeats", "events arrive twice",
            [
                .act(.post(3)), .rest(.milliseconds(200)), .act(.repeatEvents(3)), .act(.post(1)), .settle, .act(.cut),
                .back(), .settle,
            ]),
        Scenario(
            "twice", "the log has a message of somebody else, and one of the client, under two positions",
            [
                .act(.answer([.forgotten])), .act(.post(1)), .act(.postTwice), .ask(.send("one")),
                .wait(.sent(1), within: .seconds(20), .untilStored, otherwise: "no message came"), .settle, .act(.cut),
                .act(.postTwice), .back(), .caughtUp, .confirmed(1), .settle, .ask(.send("two")), .confirmed(2),
                .settle, .act(.cut), .back(3), .settle,
            ]),
        Scenario(
            "unknown", "fields, frames and events of a later version",
            [
                .act(.sendUnknown), .act(.postUnknown), .act(.post(1)), .act(.postUnknown), .settle,
                .ask(.send("one")), .confirmed(1, .frames, otherwise: "it does not go on after what it does not know"),
                .settle, .act(.cut), .back(), .settle,
            ]),
        Scenario(
            "rolled-back", "the log loses a message that was accepted",
            [
                .act(.answer([.accepted])), .act(.post(2)), .ask(.send("one")),
                .wait(.sent(1), within: .seconds(20), .untilStored, otherwise: "no message came"), .settle,
                .act(.rollBack),
                .wait(.reloaded, within: .seconds(8), .rolledBack, otherwise: "the room was not loaded again"),
                .confirmed(1, .rolledBack, otherwise: "what was lost was not sent again"), .settle, .act(.cut),
                .act(.post(1)), .back(), .caughtUp, .settle,
            ]),
        Scenario(
            "rolled-back-away", "the log loses a message while the client is away",
            [
                .act(.answer([.accepted])), .act(.post(2)), .ask(.send("one")),
                .wait(.sent(1), within: .seconds(20), .untilStored, otherwise: "no message came"), .settle,
                .act(.cut), .act(.rollBack), .act(.post(1)), .back(),
                .wait(.reloaded, within: .seconds(8), .rolledBack, otherwise: "the room was not loaded again"),
                .confirmed(1, .rolledBack, otherwise: "what was lost was not sent again"), .settle,
            ]),
        Scenario(
            "large", "a message and a page of the maximum size",
            [
                .act(.post(1)), .settle, .act(.postLarge), .act(.sayBehind), .act(.post(1)), .caughtUp,
                .ask(.send("one")),
                .confirmed(1, .frames, otherwise: "it does not go on after large frames"), .settle,
            ]),
        Scenario(
            "read", "a read mark whose ack is lost",
            [
                .act(.ignore(.reads, true)), .act(.post(2)), .settle, .ask(.read),
                .need(.readMarks(1), within: .seconds(15), otherwise: "it sends no read marks"),
                .rest(.milliseconds(300)), .act(.ignore(.reads, false)), .act(.cut), .back(),
                .wait(
                    .readMarks(2), within: .seconds(8), .receipts,
                    otherwise: "a read mark without an ack was not sent again"),
                .settle,
            ]),
        Scenario(
            "typing", "somebody types for eight seconds",
            (0..<8).flatMap { [Step.ask(.typing), .rest($0 == 0 ? .seconds(2) : .seconds(1))] } + [
                .need(.typings(1), within: .seconds(4), otherwise: "it does not send typing"), .rest(.seconds(1)),
            ]),
    ]
}
