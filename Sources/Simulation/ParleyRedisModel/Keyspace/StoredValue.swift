import DequeModule

package typealias Bytes = [UInt8]

/// The key of a value: its name, in one of the numbered databases.
struct StoredKey: Hashable, Sendable {
    var database: Int
    var name: Bytes
}

/// A value of one of Redis' types.
enum StoredValue: Sendable {
    case string(StringValue)
    case list(ListValue)
    case hash(HashValue)
    case sortedSet(SortedSetValue)
    case stream(StreamValue)
    /// Stands in for a value that is being changed, so that the change copies nothing.
    case none

    /// The name of the type, as `TYPE` replies it.
    var typeName: String {
        switch self {
        case .string: "string"
        case .list: "list"
        case .hash: "hash"
        case .sortedSet: "zset"
        case .stream: "stream"
        case .none: "none"
        }
    }

    /// The memory that the value takes, as the memory limit counts it, in bytes.
    var size: Int {
        switch self {
        case .string(let value): value.bytes.count
        case .list(let value): value.size
        case .hash(let value): value.size
        case .sortedSet(let value): value.size
        case .stream(let value): value.size
        case .none: 0
        }
    }
}

/// One of the types, with what the keyspace must know of it.
protocol Storable: Sendable {
    init()
    /// Returns `nil` for a value of another type.
    init?(_ stored: StoredValue)
    var stored: StoredValue { get }
    /// Whether its key is removed with its last element.
    var vanishes: Bool { get }
}

struct StringValue: Storable {
    var bytes: Bytes = []

    init() {}

    init(_ bytes: Bytes) {
        self.bytes = bytes
    }

    init?(_ stored: StoredValue) {
        guard case .string(let value) = stored else { return nil }
        self = value
    }

    var stored: StoredValue { .string(self) }
    var vanishes: Bool { false }
}

struct ListValue: Storable {
    /// The memory that an element takes besides its bytes.
    private static let overhead = 11

    private(set) var elements = Deque<Bytes>()
    private(set) var size = 0

    init() {}

    init?(_ stored: StoredValue) {
        guard case .list(let value) = stored else { return nil }
        self = value
    }

    var stored: StoredValue { .list(self) }
    var vanishes: Bool { elements.isEmpty }

    mutating func push(_ element: Bytes, atFront: Bool) {
        size += element.count + Self.overhead
        if atFront { elements.prepend(element) } else { elements.append(element) }
    }

    mutating func pop(fromFront: Bool) -> Bytes? {
        let element = fromFront ? elements.popFirst() : elements.popLast()
        if let element { size -= element.count + Self.overhead }
        return element
    }

    /// Removes all elements outside a range.
    mutating func keep(_ range: Range<Int>) {
        while elements.count > range.upperBound { _ = pop(fromFront: false) }
        for _ in 0..<min(range.lowerBound, elements.count) { _ = pop(fromFront: true) }
    }
}

/// A hash. Its fields keep their order, as in a small hash of Redis.
struct HashValue: Storable {
    private static let overhead = 22

    private(set) var fields: [Bytes] = []
    private var values: [Bytes: Bytes] = [:]
    private(set) var size = 0

    init() {}

    init?(_ stored: StoredValue) {
        guard case .hash(let value) = stored else { return nil }
        self = value
    }

    var stored: StoredValue { .hash(self) }
    var vanishes: Bool { fields.isEmpty }

    subscript(field: Bytes) -> Bytes? { values[field] }

    /// - Returns: whether the field is new.
    mutating func set(_ field: Bytes, to value: Bytes) -> Bool {
        let old = values.updateValue(value, forKey: field)
        size += value.count - (old?.count ?? 0)
        guard old == nil else { return false }
        size += field.count + Self.overhead
        fields.append(field)
        return true
    }

    mutating func remove(_ field: Bytes) -> Bool {
        guard let old = values.removeValue(forKey: field) else { return false }
        size -= old.count + field.count + Self.overhead
        fields.removeAll { $0 == field }
        return true
    }
}
