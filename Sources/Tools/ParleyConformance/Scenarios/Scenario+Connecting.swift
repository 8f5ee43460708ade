/// Scenarios about connections: refusals, close codes, silence.
extension Scenario {
    private static let lasts = [
        Step.ask(.send("one")), .confirmed(1, .again, otherwise: "the new connection is not used"), .settle,
    ]

    static let connecting: [Scenario] = [
        Scenario(
            "back-off", "the server cannot be reached for six seconds",
            [.act(.post(1)), .settle, .act(.refuseAll(true)), .act(.cut), .rest(.seconds(6)), .act(.refuseAll(false))]
                + [.back(2, within: .seconds(60))] + lasts),
        Scenario(
            "retry-after", "the server is full, with Retry-After",
            [
                .act(.refuse([Refusal(status: 503, retryAfter: 2), Refusal(status: 429, retryAfter: 2)])), .act(.cut),
                .back(2, within: .seconds(30)),
            ] + lasts),
        Scenario(
            "ticket", "the tickets that the client has are refused",
            [.act(.refuseTickets), .act(.cut), .back()] + lasts),
        Scenario("bye", "the node drains", [.act(.bye(milliseconds: 2_000)), .back()] + lasts),
        Scenario("moment", "the node is overloaded (4250)", [.act(.close(4250)), .back()] + lasts),
        Scenario(
            "at-once", "the client was too slow (4350)",
            [.act(.post(2)), .settle, .act(.close(4350)), .act(.post(2)), .back(2, within: .seconds(3)), .caughtUp]
                + lasts),
        Scenario(
            "expired", "the credentials have expired (4150)",
            [.act(.close(4150)), .need(.connected(2), within: .seconds(10), otherwise: "it waits for a login")] + lasts
        ),
        Scenario(
            "revoked", "the session was ended (4001)",
            [.settle, .act(.close(4001)), .quiet(.seconds(4), .stop, otherwise: "it tried to connect after 4001")]),
        Scenario(
            "stopped", "a close code that means stop (4050)",
            [.settle, .act(.close(4050)), .quiet(.seconds(4), .stop, otherwise: "it tried to connect after 4050")]),
        Scenario(
            "forbidden", "the user may not connect any more (403)",
            [
                .settle, .act(.forbid), .act(.cut),
                .wait(.forbidden, within: .seconds(15), .again, otherwise: "it did not try to connect again"),
                .rest(.seconds(4)),
            ]),
        Scenario(
            "silence", "the server is there and says nothing", pingInterval: .seconds(1),
            [
                .act(.goDeaf),
                .wait(.pinged, within: .seconds(8), .silence, otherwise: "no ping within 8 s of silence"),
                .wait(
                    .connected(2), within: .seconds(18), .silence,
                    otherwise: "it did not connect again, though its ping was not answered"),
            ] + lasts),
    ]

    /// All scenarios, in the order in which they run.
    package static let all = sending + events + connecting
}
