/// The events of a simulation in words: printed as they happen, or only digested.
///
/// Confined to the simulator's only thread.
package final class Story {
    let isPrinted: Bool
    private let begin: Int64
    let now: () -> Int64
    private let write: (String) -> Void
    /// A digest of all lines: equal for equal stories.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    package init(isPrinted: Bool, now: @escaping () -> Int64, write: @escaping (String) -> Void = { print($0) }) {
        self.isPrinted = isPrinted
        self.now = now
        self.write = write
        begin = now()
    }

    /// - Parameter text: evaluated for the digest even if it is not printed.
    package func tell(_ who: String, _ text: String) {
        let line = "\(seconds) \(who): \(text)"
        for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        if isPrinted { write(line) }
    }

    /// Only for readers; not part of the digest.
    package func remark(_ who: String, _ text: @autoclosure () -> String) {
        if isPrinted { write("\(seconds) \(who): \(text())") }
    }

    private var seconds: String {
        let micros = (now() - begin) / 1000
        let fraction = String(micros % 1_000_000)
        return "\(micros / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
    }
}
