/// Which of several Redis hosts has a name, by the rule of channels_redis (`utils._consistent_hash`).
///
/// The order of the hosts counts, and peers with other lists look elsewhere: nothing moves when the list changes.
package struct HostRing: Hashable, Sendable {
    /// How many hosts there are; at least 1.
    package let count: Int

    package init(count: Int) {
        self.count = max(1, count)
    }

    /// 0 to 4095.
    package static func slot(of name: String) -> Int {
        Int(CRC32.checksum(name.utf8) & 0xFFF)
    }

    /// The host of a name: for a group that of its full channel name, prefix and all.
    package func host(of name: String) -> Int {
        host(ofSlot: Self.slot(of: name))
    }

    /// The host of a slot. In floating point as Python does it: from 186 hosts on, integers would differ.
    package func host(ofSlot slot: Int) -> Int {
        count == 1 ? 0 : Int(Double(slot) / (4096.0 / Double(count)))
    }
}
