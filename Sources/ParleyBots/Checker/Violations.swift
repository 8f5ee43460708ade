/// What was found wrong: all of it counted, and the first of it kept.
package struct Violations: Codable, Hashable, Sendable {
    /// How many are kept with their particulars.
    package static let kept = 200

    package private(set) var first: [Violation] = []
    package private(set) var counts: [Violation.Kind: Int] = [:]

    package init() {}

    package var isEmpty: Bool { counts.isEmpty }
    package var total: Int { counts.values.reduce(0, +) }

    package mutating func add(_ violation: Violation) {
        counts[violation.kind, default: 0] += 1
        if first.count < Self.kept { first.append(violation) }
    }

    package mutating func add(_ other: Violations) {
        for (kind, count) in other.counts { counts[kind, default: 0] += count }
        first += other.first.prefix(max(0, Self.kept - first.count))
    }
}
