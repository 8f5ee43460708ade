#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Functions of the C library that the standard library lacks.
enum Power {
    static func of(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

    /// The natural logarithm.
    static func logarithm(_ value: Double) -> Double { log(value) }
}
