/// Why a store shared by all nodes did not answer.
package enum SharedStoreError: Error, Hashable, Sendable {
    /// It cannot be reached, or has lost its content; fall back or retry later.
    case unavailable(String)
}
