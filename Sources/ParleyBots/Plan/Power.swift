#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the standard library has no functions for.
enum Power {
    static func of(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

    /// The natural logarithm.
    static func logarithm(_ value: Double) -> Double { log(value) }
}
