/// The violations found: all of them counted, the first ones kept.
package struct Violations: Codable, Hashable, Sendable {
    /// Maximum number of violations kept in detail.
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
