import ParleyWire

/// Scenarios about messages: acks, refusals, interruptions.
extension Scenario {
    static let sending: [Scenario] = [
        Scenario("plain", "three messages, accepted and stored", Step.messages(3) + [.confirmed(3), .settle]),
        Scenario(
            "cut-before-ack", "the connection ends before the message is in the log",
            [.act(.answer([.dropped]))] + Step.messages(2) + [
                .wait(.sent(1), within: .seconds(20), .untilStored, otherwise: "no message came"),
                .rest(.milliseconds(300)), .act(.cut), .back(), .confirmed(2), .settle,
            ]),
        Scenario(
            "cut-before-stored", "the connection ends between the acks accepted and stored",
            [.act(.answer([.accepted]))] + Step.messages(2) + [
                .wait(.sent(1), within: .seconds(20), .untilStored, otherwise: "no message came"),
                .rest(.milliseconds(300)), .act(.cut), .back(), .confirmed(2), .settle,
            ]),
        Scenario(
            "ack-lost", "the message is in the log, and the client does not hear of it",
            [.act(.answer([.silent]))] + Step.messages(2) + [
                .wait(.sent(1), within: .seconds(20), .untilStored, otherwise: "no message came"),
                .rest(.milliseconds(300)), .act(.cut), .back(), .confirmed(2), .settle,
            ]),
        Scenario(
            "rate-limited", "a message is refused for a second and a half",
            [.act(.answer([.refused(.rateLimited, retryAfter: 1_500)]))] + Step.messages(2) + [.confirmed(2), .settle]),
        Scenario(
            "refused", "a message is refused for good; the next one is not",
            [.act(.answer([.refused(.badRequest, retryAfter: nil)]))] + Step.messages(2) + [
                .confirmed(1, .refused, otherwise: "after a message that was refused the next one did not follow"),
                .rest(.seconds(2)),
            ]),
        Scenario(
            "unavailable", "the log is unavailable for two attempts",
            [
                .act(.answer([.refused(.unavailable, retryAfter: nil), .refused(.unavailable, retryAfter: nil)]))
            ] + Step.messages(2) + [.confirmed(2), .settle]),
        Scenario(
            "order", "five messages, answered slowly",
            [.act(.answer(Array(repeating: .late(milliseconds: 300), count: 5)))] + Step.messages(5) + [
                .confirmed(5), .settle,
            ]),
        Scenario(
            "edit", "an edit of a message that is not stored, and a cut",
            [
                .act(.answer([.accepted])), .act(.ignore(.edits, true)), .ask(.send("one")),
                .wait(.sent(1), within: .seconds(20), .untilStored, otherwise: "no message came"), .settle,
                .ask(.edit("edited")), .need(.edits(1), within: .seconds(15), otherwise: "it sends no edits"),
                .rest(.milliseconds(300)), .act(.ignore(.edits, false)), .act(.cut), .back(), .confirmed(1),
                .wait(
                    .edits(2), within: .seconds(8), .edit, otherwise: "an edit without an ack was not sent again"),
                .settle,
            ]),
    ]
}
