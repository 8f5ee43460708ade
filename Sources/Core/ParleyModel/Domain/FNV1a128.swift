/// The 128-bit FNV-1a hash (draft-eastlake-fnv), a stable short name for a text. Not suitable for secrets.
package enum FNV1a128 {
    /// Returns the hash as 32 lower-case hex digits.
    package static func hex(of text: String) -> String {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in text.utf8 {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
