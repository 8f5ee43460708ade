package import ParleyAccounts

/// All addresses that begin with some bits (CIDR, RFC 4632).
package struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    /// The number of bits.
    private let prefix: Int

    /// Reads an address and a number of bits, such as `10.0.0.0/8`, or one address.
    /// - Returns: `nil` for another text, and if a bit after the first ones is set.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = words.first, let address = IPAddress(first) else { return nil }
        self.address = address
        guard words.count == 2, let last = words.last else {
            prefix = address.width
            return
        }
        guard last.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let prefix = Int(last), prefix <= address.width,
            address.network(prefix: prefix) == address
        else { return nil }
        self.prefix = prefix
    }

    package func contains(_ other: IPAddress) -> Bool {
        other.family == address.family && other.network(prefix: prefix) == address
    }
}
