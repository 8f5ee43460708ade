package import ParleyModel

/// All ports of a store, on one object.
package typealias StoreUnderTest = AccountStore & AttachmentStore & ChangeFeed & Cleanups & DeviceStore & Directory
    & EventFeed & EventGroups & MessageStore & NotificationStore & Outbox & StateStore & TimeSource & UnseenLog
    & Webhooks

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

    /// Looks up a number of rows without a store.
    func count(_ rows: StoreRowCount) async throws -> Int64

    /// Changes rows without a store.
    func apply(_ change: StoreRowChange) async throws

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
