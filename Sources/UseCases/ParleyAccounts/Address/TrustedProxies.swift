/// Addresses and networks of the proxies whose forwarding headers are trusted.
package struct TrustedProxies: Hashable, Sendable {
    private struct Network: Hashable, Sendable {
        let address: IPAddress
        let prefix: Int

        func contains(_ other: IPAddress) -> Bool {
            other.family == address.family && other.network(prefix: prefix) == address
        }
    }

    private let networks: [Network]

    /// No trusted proxies.
    package init() {
        networks = []
    }

    /// Reads addresses and networks divided by commas, e.g. `127.0.0.1, ::1, 10.0.0.0/8`.
    /// - Throws: `TrustedProxies.ParseError` for the first that is neither.
    package init(parsing list: String) throws(ParseError) {
        var networks: [Network] = []
        for entry in list.split(separator: ",") {
            let text = entry.filter { $0 != " " && $0 != "\t" }
            if text.isEmpty { continue }
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let address = IPAddress(parts[0]) else { throw ParseError(entry: text) }
            var prefix = address.width
            if parts.count == 2 {
                guard let bits = Int(parts[1]), (0...address.width).contains(bits) else {
                    throw ParseError(entry: text)
                }
                prefix = bits
            }
            networks.append(Network(address: address.network(prefix: prefix), prefix: prefix))
        }
        self.networks = networks
    }

    package func contains(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// A list entry that is neither an address nor a network.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        package let entry: String

        package init(entry: String) {
            self.entry = entry
        }

        package var description: String {
            "\"\(entry)\" is not an address; expected comma-separated addresses and networks, e.g. 127.0.0.1,10.0.0.0/8"
        }
    }
}
