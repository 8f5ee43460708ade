import ParleyModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The part of an address that belongs to one subscriber: all of IPv4, the first 64 bits of IPv6.
package enum AddressBlock {
    /// A key for the block; a text that is not an address is used as it is.
    package static func name(of address: String) -> String {
        // A zone (`%eth0`) is local to this machine.
        let text = String(address.prefix { $0 != "%" })
        guard text.contains(":") else { return text }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return text }
        if bytes.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return Hex.encode(bytes.prefix(8))
    }
}
