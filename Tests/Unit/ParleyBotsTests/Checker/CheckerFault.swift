import ParleyBots
import Testing

/// One change of a sound scenario, and the expected verdict of the checker.
struct CheckerFault: CustomTestStringConvertible, Sendable {
    let name: String
    let kind: GuaranteeViolation.Kind
    let seq: Int64?
    let bot: Int?
    var isClassic: Bool?
    let change: @Sendable (inout Scenario) -> Void

    init(
        _ name: String, _ kind: GuaranteeViolation.Kind, seq: Int64?, bot: Int?, classic: Bool? = nil,
        _ change: @escaping @Sendable (inout Scenario) -> Void
    ) {
        (self.name, self.kind, self.seq, self.bot, isClassic, self.change) = (name, kind, seq, bot, classic, change)
    }

    var testDescription: String { name }
}
