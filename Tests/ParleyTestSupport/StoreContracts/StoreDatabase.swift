package import ParleyModel

/// All ports of a store, on one object.
package typealias StoreUnderTest = AccountStore & AttachmentStore & ChangeFeed & Cleanups & Directory & MessageStore
    & Outbox & StateStore & TimeSource

/// A database for the contract tests of a store.
///
/// This is all that an adapter's tests provide; see `StoreFact`.
package protocol StoreDatabase: Sendable {
    /// Creates a new, empty database with its tables.
    static func make() async throws -> Self

    /// Opens a store on the database with connections of its own; called several times, as by several processes.
    func open() async throws -> any StoreUnderTest

    /// The rejected entries, in order.
    func rejects() async throws -> [StoreReject]

    /// Runs a statement without a store, in SQL that every database understands.
    func execute(_ sql: String) async throws

    /// Runs a query without a store that returns one number.
    func number(_ sql: String) async throws -> Int64

    /// Closes all stores and deletes the database.
    func remove() async throws
}

/// A rejected entry as stored in the database.
package struct StoreReject: Hashable, Sendable {
    package var reason: String
    package var bytes: [UInt8]

    package init(reason: String, bytes: [UInt8]) {
        self.reason = reason
        self.bytes = bytes
    }
}
