#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) is the IPv4 address.
package struct IPAddress: Hashable, Sendable {
    package enum Family: Hashable, Sendable {
        case v4
        case v6
    }

    package let family: Family
    /// The address as a number; an IPv4 address occupies the low 32 bits.
    package let bits: UInt128

    /// The number of bits in an address of this family.
    package var width: Int { family == .v4 ? 32 : 128 }

    package init(family: Family, bits: UInt128) {
        self.family = family
        self.bits = bits
    }

    /// Parses an address as `inet_pton(3)` does, ignoring a zone (`%eth0`).
    package init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(family: .v4, bits: UInt128(UInt32(bigEndian: v4.s_addr)))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            let bits = withUnsafeBytes(of: v6) { $0.reduce(0 as UInt128) { $0 << 8 | UInt128($1) } }
            if bits >> 32 == 0xFFFF {
                self.init(family: .v4, bits: bits & 0xFFFF_FFFF)
            } else {
                self.init(family: .v6, bits: bits)
            }
        } else {
            return nil
        }
    }

    /// The first address of the network with this prefix length that contains the address.
    package func network(prefix: Int) -> IPAddress {
        let kept = max(0, min(prefix, width))
        let hostBits = UInt128(width - kept)
        // Shifting by the whole width gives zero, as a prefix of 0 requires.
        return IPAddress(family: family, bits: (bits >> hostBits) << hostBits)
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual notation; for IPv6 the short one of RFC 5952.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: 46)
        switch family {
        case .v4:
            var address = in_addr()
            address.s_addr = UInt32(truncatingIfNeeded: bits).bigEndian
            inet_ntop(AF_INET, &address, &buffer, socklen_t(buffer.count))
        case .v6:
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                for index in 0..<16 {
                    bytes[index] = UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * index))
                }
            }
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count))
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
