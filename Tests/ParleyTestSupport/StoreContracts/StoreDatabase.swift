package import ParleyModel

/// All ports of a store, on one object.
package typealias StoreUnderTest = AccountStore & ChangeFeed & Cleanups & Directory & MessageStore & Outbox & StateStore

/// A database of an adapter that the contract of the store is checked on.
///
/// This is all that an adapter's tests provide; see `StoreFact`.
package protocol StoreDatabase: Sendable {
    /// A new, empty database of its own, with its tables made.
    static func make() async throws -> Self

    /// A store on the database, with connections of its own; called several times, as several processes would.
    func open() async throws -> any StoreUnderTest

    /// What the stores have set aside, in order.
    func rejects() async throws -> [StoreReject]

    /// Runs a statement past the stores; written so that every database understands it.
    func execute(_ sql: String) async throws

    /// The one number that a question past the stores is answered by.
    func number(_ sql: String) async throws -> Int64

    /// Closes all stores and deletes the database.
    func remove() async throws
}

/// An entry that could not be stored, as the database keeps it.
package struct StoreReject: Hashable, Sendable {
    package var reason: String
    package var bytes: [UInt8]

    package init(reason: String, bytes: [UInt8]) {
        self.reason = reason
        self.bytes = bytes
    }
}
