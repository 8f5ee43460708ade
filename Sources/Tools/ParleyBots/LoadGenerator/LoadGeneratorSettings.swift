/// The target cluster of a load generator, and its credentials.
package struct LoadGeneratorSettings: Sendable {
    /// URLs for sockets, used in turn: `ws://…` or `wss://…`; at least one.
    package var urls: [String]
    /// The URL for REST; the first of `urls` if `nil`.
    package var rest: String?
    /// The URLs of `/metrics`; `urls` and `rest` if empty.
    package var metrics: [String] = []
    package var apiKey: String
    /// The executable that has `bots worker`, for plans with several processes; `nil` runs everything in this process.
    package var program: String?
    /// Skips certificate validation.
    package var isLenient = false

    package init(urls: [String], rest: String? = nil, apiKey: String) {
        self.urls = urls
        self.rest = rest
        self.apiKey = apiKey
    }
}

/// The reason that a load generator failed, as a text for the user.
package struct LoadGeneratorError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}
