import Foundation
import Synchronization

/// Port numbers on 127.0.0.1 for servers under test.
package enum FreePort {
    /// Below the range of ephemeral ports (32768 and up), so that a restarted server does not find its port taken by
    /// one of its own clients.
    private static let range = 20_000...32_000

    /// The ports already returned; a process that has not bound its port yet would otherwise lose it to the next.
    private static let given = Mutex<Set<Int>>([])

    /// A port that nobody listens on; never the same one twice in this process.
    package static func next() -> Int {
        given.withLock { given in
            while true {
                let port = Int.random(in: range)
                if !given.contains(port), isFree(port) {
                    given.insert(port)
                    return port
                }
            }
        }
    }

    private static func isFree(_ port: Int) -> Bool {
        #if os(Linux)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
