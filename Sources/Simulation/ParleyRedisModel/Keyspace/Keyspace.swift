/// The keys of a server with their values and expiry.
///
/// Time is told before each command. What has changed since the last `sync` can be undone (`loseUnsynced`), as a power
/// failure does.
struct Keyspace: Sendable {
    private struct Entry: Sendable {
        var value: StoredValue
        /// The Unix time in milliseconds after which the key is gone.
        var expiry: Int64?
    }

    /// The memory that a key takes besides its bytes and its value, as the memory limit counts it.
    private static let overhead = 64

    private var entries: [StoredKey: Entry] = [:]
    /// The values that changed keys had at the last sync; `nil` for a key that did not exist.
    private var unsynced: [StoredKey: Entry?] = [:]
    private let tracksChanges: Bool
    /// The estimated memory of all keys and values.
    private(set) var size = 0
    /// The Unix time in milliseconds.
    var now: Int64 = 0

    /// - Parameter tracksChanges: whether `loseUnsynced` can be used.
    init(tracksChanges: Bool) {
        self.tracksChanges = tracksChanges
    }

    // MARK: Values

    func contains(_ key: StoredKey) -> Bool { live(key) != nil }

    func typeName(of key: StoredKey) -> String { live(key)?.value.typeName ?? "none" }

    func size(of key: StoredKey) -> Int? {
        live(key).map { $0.value.size + key.name.count + Self.overhead }
    }

    /// The value of a key; `nil` if there is none.
    /// - Throws: `wrongType`.
    func value<Value: Storable>(_ type: Value.Type, of key: StoredKey) throws(CommandError) -> Value? {
        guard let entry = live(key) else { return nil }
        guard let value = Value(entry.value) else { throw .wrongType }
        return value
    }

    /// Changes the value of a key in place; of a key that is not there, an empty one.
    /// - Throws: `wrongType`, or what `change` throws; then nothing must have changed.
    mutating func change<Value: Storable, Result>(
        _ type: Value.Type, of key: StoredKey, _ change: (inout Value) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        let (isNew, oldSize) = try prepareChange(Value.self, of: key)
        return try replace(key, oldSize, isNew: isNew, change)
    }

    private mutating func prepareChange<Value: Storable>(
        _ type: Value.Type, of key: StoredKey
    ) throws(CommandError) -> (isNew: Bool, size: Int) {
        removeIfExpired(key)
        let before = entries[key]
        if let before, Value(before.value) == nil { throw .wrongType }
        noteChange(of: key, before)
        if let before { return (false, before.value.size) }
        entries[key] = Entry(value: Value().stored)
        size += key.name.count + Self.overhead
        return (true, 0)
    }

    private mutating func replace<Value: Storable, Result>(
        _ key: StoredKey, _ oldSize: Int, isNew: Bool, _ change: (inout Value) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        guard var value = entries[key].flatMap({ Value($0.value) }) else { throw .wrongType }
        // So that the value is not shared while it changes.
        entries[key]?.value = .none
        let result: Result
        do throws(CommandError) {
            result = try change(&value)
        } catch {
            entries[key]?.value = value.stored
            if isNew { remove(key) }
            throw error
        }
        if value.vanishes {
            entries[key] = nil
            size -= key.name.count + Self.overhead + oldSize
        } else {
            let stored = value.stored
            size += stored.size - oldSize
            entries[key]?.value = stored
        }
        return result
    }

    /// Sets a string, and replaces a value of any type.
    mutating func set(_ key: StoredKey, to bytes: Bytes, expiry: Int64?) {
        remove(key)
        noteChange(of: key, nil)
        entries[key] = Entry(value: .string(StringValue(bytes)), expiry: expiry)
        size += key.name.count + Self.overhead + bytes.count
    }

    /// - Returns: whether it was there.
    @discardableResult
    mutating func remove(_ key: StoredKey) -> Bool {
        let wasThere = contains(key)
        guard let entry = entries[key] else { return false }
        noteChange(of: key, entry)
        entries[key] = nil
        size -= key.name.count + Self.overhead + entry.value.size
        return wasThere
    }

    /// Removes all keys of a database, or of all.
    mutating func removeAll(of database: Int?) {
        for (key, entry) in entries where database == nil || key.database == database {
            noteChange(of: key, entry)
            entries[key] = nil
            size -= key.name.count + Self.overhead + entry.value.size
        }
    }

    /// The names of a database, sorted.
    func names(in database: Int) -> [Bytes] {
        entries.keys.filter { $0.database == database && contains($0) }.map(\.name)
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    // MARK: Expiry

    /// The time after which a key is gone; `nil` if it stays or is not there.
    func expiry(of key: StoredKey) -> Int64? { live(key)?.expiry }

    /// - Parameter expiry: a Unix time in milliseconds; `nil` to keep the key.
    mutating func setExpiry(of key: StoredKey, to expiry: Int64?) {
        guard let entry = live(key) else { return }
        noteChange(of: key, entry)
        entries[key]?.expiry = expiry
    }

    /// Removes all keys that are gone, which Redis does little by little.
    mutating func removeExpired() {
        for (key, entry) in entries {
            if let expiry = entry.expiry, expiry < now { remove(key) }
        }
    }

    private func live(_ key: StoredKey) -> Entry? {
        guard let entry = entries[key] else { return nil }
        if let expiry = entry.expiry, expiry < now { return nil }
        return entry
    }

    private mutating func removeIfExpired(_ key: StoredKey) {
        if let expiry = entries[key]?.expiry, expiry < now { remove(key) }
    }

    // MARK: Durability

    /// Everything so far is on the disk.
    mutating func sync() {
        unsynced.removeAll(keepingCapacity: true)
    }

    /// Undoes what has changed since the last `sync`.
    mutating func loseUnsynced() {
        for (key, entry) in unsynced { entries[key] = entry }
        unsynced = [:]
        size = entries.reduce(0) { $0 + $1.key.name.count + Self.overhead + $1.value.value.size }
    }

    private mutating func noteChange(of key: StoredKey, _ before: Entry?) {
        guard tracksChanges, unsynced[key] == nil else { return }
        unsynced[key] = .some(before)
    }
}
