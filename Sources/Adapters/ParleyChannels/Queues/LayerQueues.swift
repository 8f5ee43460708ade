import Crypto
package import ParleyModel

/// The queues of a node in the core layer, and its names as a member of groups. They depend only on the node's name and
/// the hosts, so that a restarted node has the same ones.
package struct LayerQueues: Hashable, Sendable {
    /// The prefix of the names of all nodes. channels_redis generates no such names.
    private static let mark = "parley."
    /// The number of a node's queues on each host. The senders' capacity applies to each queue.
    package static var perHost: Int { 4 }
    /// The number of names that the search for queues tries. Hosts without queues after it share the queues of the others.
    private static let numbers = 100_000

    /// The names of the queues on each host, ending in `!`.
    package let queues: [[String]]

    package init(node: String, ring: HostRing) {
        var queues = [[String]](repeating: [], count: ring.count)
        var missing = ring.count * Self.perHost
        for number in 0..<Self.numbers where missing > 0 {
            let name = "\(Self.mark)\(node).\(number)!"
            let host = ring.host(of: name)
            guard queues[host].count < Self.perHost else { continue }
            queues[host].append(name)
            missing -= 1
        }
        let all = queues.flatMap(\.self)
        self.queues = queues.map { $0.isEmpty ? all : $0 }
    }

    /// Whether a member of a group is a node of Parley.
    package static func isNode(_ channel: String) -> Bool { channel.hasPrefix(mark) }

    /// Returns the node's name in the group of a thread.
    /// - Parameter host: The host of the group.
    package func member(of thread: ThreadID, on host: Int) -> String {
        let queues = queues[host]
        // The host's index comes from the upper bits of the slot, so the lower bits distribute the threads.
        return queues[HostRing.slot(of: thread.text) % queues.count] + Self.localName(of: thread)
    }

    /// Returns the part of the name after `!`: 120 bits of a hash in base64url, 20 characters. The ID of a thread
    /// itself may be too long.
    package static func localName(of thread: ThreadID) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let bytes = Array(SHA256.hash(data: Array(thread.text.utf8)))
        var text: [UInt8] = []
        for index in stride(from: 0, to: 15, by: 3) {
            let bits = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            for shift in [18, 12, 6, 0] { text.append(alphabet[bits >> shift & 0x3F]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the local part of one of a node's channels.
    package static func localName(in channel: String) -> Substring {
        channel.utf8.firstIndex(of: UInt8(ascii: "!")).map { channel[channel.utf8.index(after: $0)...] } ?? ""
    }
}
