/// A server whose clock can be read.
package protocol TimeSource: Sendable {
    /// The server's Unix time in milliseconds.
    func databaseMilliseconds() async throws(StoreError) -> Int64
}
