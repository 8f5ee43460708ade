/// A list of steps for one client, which takes some seconds.
package struct Scenario: Sendable {
    package let name: String
    /// A description of the scenario in one line.
    package let summary: String
    /// The ping interval in `hello`.
    let pingInterval: Duration
    let steps: [Step]

    init(_ name: String, _ summary: String, pingInterval: Duration = .seconds(25), _ steps: [Step]) {
        self.name = name
        self.summary = summary
        self.pingInterval = pingInterval
        self.steps = steps
    }
}

extension Step {
    static func send(_ count: Int) -> Step { .ask(.send("\(count)")) }

    /// Waits for the client to connect again.
    static func back(_ count: Int = 2, within limit: Duration = .seconds(15)) -> Step {
        .wait(.connected(count), within: limit, .again, otherwise: "it did not connect again within \(limit)")
    }

    static func confirmed(
        _ count: Int, _ rule: Rule = .untilStored,
        otherwise: String = "a message was not sent until the ack stored arrived"
    ) -> Step {
        .wait(.confirmed(count), within: .seconds(15), rule, otherwise: otherwise)
    }

    static let caughtUp = Step.wait(
        .caughtUp, within: .seconds(8), .gap, otherwise: "missing events were not fetched within 8 s")

    /// Waits until sent frames have arrived.
    static let settle = Step.rest(.milliseconds(1_000))

    static func messages(_ count: Int) -> [Step] {
        (1...count).map { .ask(.send(["one", "two", "three", "four", "five"][($0 - 1) % 5])) }
    }
}
