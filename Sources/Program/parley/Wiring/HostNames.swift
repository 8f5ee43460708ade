import NIOPosix
import ParleyAccounts
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Resolves the names of hosts that users and operators have set.
///
/// The results are protected by a `Mutex`, which is not held while a name is resolved.
final class HostNames: Sendable {
    /// The time for which the addresses of a name are used.
    private static let lifetime = Duration.seconds(60)
    /// The maximum number of names in memory.
    private static let maximumCount = 1_000

    private let known = Mutex<[String: (addresses: [IPAddress], until: ContinuousClock.Instant)]>([:])

    /// Returns the addresses of a name or of an address; none if the name cannot be resolved.
    func addresses(of host: String) async -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        let now = ContinuousClock.now
        if let found = known.withLock({ $0[host] }), found.until > now { return found.addresses }
        let addresses = await Self.resolve(host)
        if !addresses.isEmpty {
            known.withLock { known in
                if known.count >= Self.maximumCount { known = known.filter { $0.value.until > now } }
                if known.count < Self.maximumCount { known[host] = (addresses, now + Self.lifetime) }
            }
        }
        return addresses
    }

    /// Returns the addresses of a name, as the system resolves it; none if it fails.
    private static func resolve(_ name: String) async -> [IPAddress] {
        let found = try? await NIOThreadPool.singleton.runIfActive {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [IPAddress]() }
            defer { freeaddrinfo(list) }
            var (addresses, next) = ([IPAddress](), list)
            while let each = next, addresses.count < 16 {
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let (address, length) = (each.pointee.ai_addr, each.pointee.ai_addrlen)
                if getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0,
                    let end = text.firstIndex(of: 0)
                {
                    let bytes = text.prefix(upTo: end).map { UInt8(bitPattern: $0) }
                    if let address = IPAddress(String(decoding: bytes, as: UTF8.self)) { addresses.append(address) }
                }
                next = each.pointee.ai_next
            }
            return addresses
        }
        return found ?? []
    }
}
