/// A server that tells its time.
package protocol TimeSource: Sendable {
    /// Its Unix time in milliseconds.
    func databaseMilliseconds() async throws(StoreError) -> Int64
}
