/// The CRC-32 of zlib and IEEE 802.3 (polynomial 0xEDB88320, reflected).
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
    }

    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        let table = table
        return ~bytes.reduce(~0) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }
}
