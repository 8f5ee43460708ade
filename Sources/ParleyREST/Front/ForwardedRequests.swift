/// Limits the concurrent requests of a client that trusted proxies forward, since those connections are not counted as
/// the client's own.
package protocol ForwardedRequests: Sendable {
    /// Begins a request; must be followed by `end` unless rejected.
    /// - Parameter address: the client's address.
    /// - Returns: the limit that has been reached; `nil` if the request may proceed.
    func begin(from address: String) -> Int?
    func end(from address: String)
}
