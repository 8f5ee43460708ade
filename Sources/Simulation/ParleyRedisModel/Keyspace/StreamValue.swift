/// A stream: entries in the order of their ids, in nodes of limited size as Redis stores them.
struct StreamValue: Storable {
    struct Entry: Sendable {
        let id: EntryNumber
        /// Alternating names and values.
        let fields: [Bytes]
    }

    /// The entries that a trim keeps.
    enum Trim {
        case newest(Int)
        case from(EntryNumber)
    }

    /// A listpack. Entries that were removed from its beginning still count in it.
    private struct Node: Sendable {
        let master: EntryNumber
        let fieldNames: [Bytes]
        var entries: [Entry]
        /// The number of entries removed from the front.
        var removed = 0
        var bytes: Int

        var live: Int { entries.count - removed }
    }

    /// Redis' default settings of stream-node-max-bytes and stream-node-max-entries.
    private static let nodeBytes = 4096
    private static let nodeEntries = 100
    /// The most that an approximate trim removes at once.
    private static let trimLimit = 100 * nodeEntries

    private var nodes: [Node] = []
    private(set) var count = 0
    private(set) var last = EntryNumber.lowest
    private(set) var size = 0

    init() {}

    init?(_ stored: StoredValue) {
        guard case .stream(let value) = stored else { return nil }
        self = value
    }

    var stored: StoredValue { .stream(self) }
    /// An empty stream remains: it knows its last id.
    var vanishes: Bool { false }

    // MARK: Adding

    /// The id that Redis gives an entry; `nil` if there is none left.
    func nextID(at milliseconds: UInt64) -> EntryNumber? {
        milliseconds > last.milliseconds ? EntryNumber(milliseconds: milliseconds, sequence: 0) : last.next
    }

    /// - Parameter id: above `last`.
    mutating func append(_ id: EntryNumber, _ fields: [Bytes]) {
        if let sharesNames = placeInLastNode(of: fields) {
            append(id, fields, sharesNames: sharesNames)
        } else {
            let names = Self.names(of: fields)
            let header = [1, 0, Int64(names.count), 0].reduce(ListpackSize.empty) { $0 + ListpackSize.integer($1) }
            let bytes = names.reduce(header) { $0 + ListpackSize.string($1) }
            nodes.append(Node(master: id, fieldNames: names, entries: [], bytes: bytes))
            size += bytes
            append(id, fields, sharesNames: true)
        }
        count += 1
        last = id
    }

    /// Whether an entry in the last node has the names of its master entry; `nil` if it needs a new node.
    private func placeInLastNode(of fields: [Bytes]) -> Bool? {
        let raw = fields.reduce(0) { $0 + $1.count }
        guard let node = nodes.last, node.bytes + raw < Self.nodeBytes, node.entries.count < Self.nodeEntries else {
            return nil
        }
        return Self.names(of: fields) == node.fieldNames
    }

    private mutating func append(_ id: EntryNumber, _ fields: [Bytes], sharesNames: Bool) {
        let place = nodes.count - 1
        let master = nodes[place].master
        let names = Int64(fields.count / 2)
        // Flags, the two parts of the id relative to the master's, the fields, and their number.
        var numbers: [Int64] = [
            sharesNames ? 2 : 0, Int64(truncatingIfNeeded: id.milliseconds &- master.milliseconds),
            Int64(truncatingIfNeeded: id.sequence &- master.sequence),
        ]
        numbers += sharesNames ? [names + 3] : [names, 2 * names + 4]
        var bytes = numbers.reduce(0) { $0 + ListpackSize.integer($1) }
        for (index, field) in fields.enumerated() where !sharesNames || index % 2 == 1 {
            bytes += ListpackSize.string(field)
        }
        nodes[place].bytes += bytes
        nodes[place].entries.append(Entry(id: id, fields: fields))
        size += bytes
    }

    private static func names(of fields: [Bytes]) -> [Bytes] {
        stride(from: 0, to: fields.count, by: 2).map { fields[$0] }
    }

    // MARK: Reading

    /// The first entries with ids in a range.
    func entries(from first: EntryNumber, through last: EntryNumber, limit: Int) -> [Entry] {
        guard first <= last, limit > 0 else { return [] }
        // The first node that has an entry in the range, or begins behind its start.
        var place = nodes.partitioned { node in node.entries.last.map { $0.id >= first } ?? false }
        var found: [Entry] = []
        while place < nodes.count {
            let node = nodes[place]
            var index = max(node.removed, node.entries.partitioned { $0.id >= first })
            while index < node.entries.count {
                guard node.entries[index].id <= last, found.count < limit else { return found }
                found.append(node.entries[index])
                index += 1
            }
            place += 1
        }
        return found
    }

    // MARK: Trimming

    /// - Returns: the number of entries removed.
    mutating func trim(_ trim: Trim, isApproximate: Bool) -> Int {
        var removed = 0
        while let node = nodes.first {
            if case .newest(let limit) = trim, count <= limit { break }
            if isApproximate, removed + node.live > Self.trimLimit { break }
            let removesNode =
                switch trim {
                case .newest(let limit): count - node.live >= limit
                case .from(let id): (node.entries.last?.id ?? .lowest) < id
                }
            guard removesNode else {
                if !isApproximate { removed += trimFirstNode(trim) }
                break
            }
            count -= node.live
            removed += node.live
            size -= node.bytes
            nodes.removeFirst()
        }
        return removed
    }

    private mutating func trimFirstNode(_ trim: Trim) -> Int {
        var removed = 0
        while nodes[0].live > 0 {
            switch trim {
            case .newest(let limit): if count <= limit { return removed }
            case .from(let id): if nodes[0].entries[nodes[0].removed].id >= id { return removed }
            }
            nodes[0].removed += 1
            count -= 1
            removed += 1
        }
        return removed
    }
}
