/// How many requests that trusted proxies forward a client may have under way, since their connections are not the
/// client's own and are not counted.
package protocol ForwardedRequests: Sendable {
    /// To be followed by `end` if there is room for another one.
    /// - Parameter address: the client's.
    /// - Returns: the bound that has been reached; `nil`: there is room.
    func begin(from address: String) -> Int?
    func end(from address: String)
}
