/// The assignment of names to Redis hosts, by the rule of channels_redis (`utils._consistent_hash`).
///
/// The order of the hosts matters, and all peers must use the same list. Nothing is moved when the list changes.
package struct HostRing: Hashable, Sendable {
    /// The number of hosts; at least 1.
    package let count: Int

    package init(count: Int) {
        self.count = max(1, count)
    }

    /// Returns the slot of a name, 0 to 4095.
    package static func slot(of name: String) -> Int {
        Int(CRC32.checksum(name.utf8) & 0xFFF)
    }

    /// Returns the host of a name; for a group, of its full channel name including the prefix.
    package func host(of name: String) -> Int {
        count == 1 ? 0 : host(ofSlot: Self.slot(of: name))
    }

    /// Returns the host of a slot. Computed in floating point as in Python; integer arithmetic differs from 186 hosts on.
    package func host(ofSlot slot: Int) -> Int {
        count == 1 ? 0 : Int(Double(slot) / (4096.0 / Double(count)))
    }
}
