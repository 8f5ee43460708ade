import Foundation

/// The code of a Swift file without its comments, and with empty string literals. As far as a test needs it: code
/// within an interpolation is left out too, and a regular expression literal is not recognised.
struct SourceCode {
    /// The lines of the file.
    let lines: [String]

    init(_ text: String) {
        var scanner = Scanner(Array(text.utf8))
        scanner.run()
        lines = String(decoding: scanner.code, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var index = 0
        private(set) var code: [UInt8] = []

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        private func isNext(_ text: StaticString) -> Bool {
            isNext(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        private func isNext(_ text: some Collection<UInt8>) -> Bool {
            bytes[index...].starts(with: text)
        }

        mutating func run() {
            while index < bytes.count {
                // Most bytes begin none of these.
                let byte = bytes[index]
                if byte == UInt8(ascii: "/"), isNext("//") {
                    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
                } else if byte == UInt8(ascii: "/"), isNext("/*") {
                    while index < bytes.count, !isNext("*/") { skip() }
                    index = min(index + 2, bytes.count)
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), let quote = quote() {
                    code += Array("\"\"".utf8)
                    skipString(quote)
                } else {
                    code.append(byte)
                    index += 1
                }
            }
        }

        /// Skips a byte that is not code.
        private mutating func skip() {
            if bytes[index] == UInt8(ascii: "\n") { code.append(bytes[index]) }
            index += 1
        }

        /// The end of the string literal that begins here, if one does.
        private func quote() -> (hashes: Int, isLong: Bool)? {
            let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
            let rest = bytes[(index + hashes)...]
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            return (hashes, rest.starts(with: Array(#"""""#.utf8)))
        }

        private mutating func skipString(_ quote: (hashes: Int, isLong: Bool)) {
            let hashes = [UInt8](repeating: UInt8(ascii: "#"), count: quote.hashes)
            let mark = [UInt8](repeating: UInt8(ascii: "\""), count: quote.isLong ? 3 : 1)
            index += hashes.count + mark.count
            while index < bytes.count {
                if bytes[index] == mark[0], isNext(mark + hashes) {
                    index += mark.count + hashes.count
                    return
                }
                if bytes[index] == UInt8(ascii: "\\"), isNext([UInt8(ascii: "\\")] + hashes) {
                    index += 1 + hashes.count
                    guard index < bytes.count else { return }
                    if bytes[index] == UInt8(ascii: "(") { skipInterpolation() } else { skip() }
                } else {
                    skip()
                }
            }
        }

        private mutating func skipInterpolation() {
            var depth = 0
            while index < bytes.count {
                if let quote = quote() {
                    skipString(quote)
                    continue
                }
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
                skip()
                if depth == 0 { return }
            }
        }
    }
}
