/// Which cluster a fleet goes to, and as whom.
package struct LoadGeneratorSettings: Sendable {
    /// Where sockets are opened, in turn: `ws://…` or `wss://…`; at least one.
    package var urls: [String]
    /// Where REST is; the first of `urls` if `nil`.
    package var rest: String?
    /// Where `/metrics` are; `urls` and `rest` if empty.
    package var metrics: [String] = []
    package var apiKey: String
    /// The executable of `parley bots worker`, for plans with more than one process; `nil`: this process does it all.
    package var program: String?
    /// Certificates are not checked.
    package var isLenient = false

    package init(urls: [String], rest: String? = nil, apiKey: String) {
        self.urls = urls
        self.rest = rest
        self.apiKey = apiKey
    }
}
