/// A sorted set: members by score, and by their bytes where scores are equal.
struct SortedSetValue: Storable {
    struct Element: Comparable, Sendable {
        let score: Double
        let member: Bytes

        static func < (left: Element, right: Element) -> Bool {
            left.score != right.score
                ? left.score < right.score : left.member.lexicographicallyPrecedes(right.member)
        }
    }

    private static let overhead = 30

    private(set) var elements: [Element] = []
    private var scores: [Bytes: Double] = [:]
    private(set) var size = 0

    init() {}

    init?(_ stored: StoredValue) {
        guard case .sortedSet(let value) = stored else { return nil }
        self = value
    }

    var stored: StoredValue { .sortedSet(self) }
    var vanishes: Bool { elements.isEmpty }

    func score(of member: Bytes) -> Double? { scores[member] }

    /// Adds a member, or gives it another score.
    mutating func set(_ member: Bytes, to score: Double) {
        if let old = scores.updateValue(score, forKey: member) {
            guard old != score else { return }
            elements.remove(at: place(of: Element(score: old, member: member)))
        } else {
            size += member.count + Self.overhead
        }
        let element = Element(score: score, member: member)
        elements.insert(element, at: place(of: element))
    }

    mutating func remove(_ member: Bytes) -> Bool {
        guard let score = scores.removeValue(forKey: member) else { return false }
        elements.remove(at: place(of: Element(score: score, member: member)))
        size -= member.count + Self.overhead
        return true
    }

    /// The elements with scores in a range.
    func elements(in range: ScoreRange) -> ArraySlice<Element> {
        let start = elements.partitioned { range.admitsAbove($0.score) }
        let end = elements.partitioned { !range.admitsBelow($0.score) }
        return elements[start..<max(start, end)]
    }

    private func place(of element: Element) -> Int {
        elements.partitioned { $0 >= element }
    }
}

/// A range of scores, each end with or without its bound.
struct ScoreRange: Sendable {
    var low: Double
    var excludesLow = false
    var high: Double
    var excludesHigh = false

    /// Whether a score is not below the range.
    func admitsAbove(_ score: Double) -> Bool { excludesLow ? score > low : score >= low }

    /// Whether a score is not above the range.
    func admitsBelow(_ score: Double) -> Bool { excludesHigh ? score < high : score <= high }
}

extension Array {
    /// The index of the first element for which the predicate holds, which must hold for all behind it.
    func partitioned(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
