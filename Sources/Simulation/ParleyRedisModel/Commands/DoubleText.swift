#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Double {
    /// The number as C's `%.17g`, in which Redis replies scores and Lua passes numbers.
    var redisText: Bytes {
        if let integer = Int64(exactly: self), abs(integer) < 1 << 53 { return Array(String(integer).utf8) }
        if isInfinite { return Array((self > 0 ? "inf" : "-inf").utf8) }
        return formatted("%.17g")
    }

    private func formatted(_ format: String) -> Bytes {
        withVaList([self]) { arguments in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
                let count = vsnprintf(buffer.baseAddress, buffer.count, format, arguments)
                return buffer.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }
            }
        }
    }
}
