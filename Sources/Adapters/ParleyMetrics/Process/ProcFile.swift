#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads files of `/proc`, whose length is unknown in advance.
enum ProcFile {
    /// The first megabyte of a file, which is enough for `/proc/stat` of a machine with thousands of processors.
    static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count < 1 << 20 {
            let count = chunk.withUnsafeMutableBytes { Self.read(file, into: $0) }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `read(2)`, repeated when a signal interrupts it.
    private static func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = readOnce(file, buffer)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func readOnce(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
            Musl.read(file, buffer.baseAddress, buffer.count)
        #else
            Darwin.read(file, buffer.baseAddress, buffer.count)
        #endif
    }
}
