/// Why a ledger that all nodes share has no answer.
package enum SharedStoreError: Error, Hashable, Sendable {
    /// It cannot be reached, or has lost what it knew; asking elsewhere or later is right.
    case unavailable(String)
}
