package import ParleyJSON

/// A violation of a rule by a client.
package struct RuleViolation: Hashable, Sendable {
    package let rule: Rule
    package let seen: String
    /// The number of the newest frame in the transcript.
    package let frame: Int
}

/// The result of a scenario.
package struct ScenarioResult: Sendable {
    package enum Outcome: Hashable, Sendable {
        case ok
        case wrong(RuleViolation)
        /// The client did not perform the scenario, for the given reason.
        case skipped(String)
        /// No client has connected.
        case absent
    }

    package let scenario: String
    package let outcome: Outcome
    /// The newest frames; for a violation, the frames that led to it.
    package let frames: [Transcript.Frame]

    /// Whether the client failed the scenario.
    package var isFailure: Bool {
        switch outcome {
        case .ok, .skipped: false
        case .wrong, .absent: true
        }
    }

    /// A line for people. After a violation, the frames of the last connection follow.
    package var text: String {
        switch outcome {
        case .ok: "ok       \(scenario)"
        case .skipped(let reason): "skipped  \(scenario): \(reason)"
        case .absent: "wrong    \(scenario): no client has connected"
        case .wrong(let violation):
            (["wrong    \(scenario): \(violation.rule.rawValue) — \(violation.seen), at frame \(violation.frame)"]
                + frames.map { "    \($0.text)" }).joined(separator: "\n")
        }
    }

    /// The result as JSON.
    package var json: JSONTree {
        var members: [(String, JSONTree)] = [("type", .text("result")), ("scenario", .text(scenario))]
        switch outcome {
        case .ok: members.append(("outcome", .text("ok")))
        case .absent: members.append(("outcome", .text("absent")))
        case .skipped(let reason): members += [("outcome", .text("skipped")), ("reason", .text(reason))]
        case .wrong(let violation):
            members += [
                ("outcome", .text("wrong")), ("rule", .text(violation.rule.rawValue)), ("seen", .text(violation.seen)),
                ("frame", .integer(Int64(violation.frame))), ("frames", .array(frames.map { .text($0.text) })),
            ]
        }
        return .ordered(members)
    }
}
