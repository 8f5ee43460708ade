package enum ConnectionKind {}

/// The id of one client connection, as sent in `hello` and `X-Request-Id` and carried by events (`origin`).
///
/// Ids made by Parley are 15 characters of base64 (RFC 4648 §5, without padding): 7 for the time and 8 random ones. A `String`
/// stores up to 15 bytes inline, which saves memory since most connections are idle.
package typealias ConnectionID = Identifier<ConnectionKind>

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
private let timeLength = 7
private let length = 15

extension Identifier where Kind == ConnectionKind {
    /// Makes an id.
    /// - Parameter milliseconds: The Unix time. Only its low 42 bits are kept, which last until 2109.
    package static func make(
        milliseconds: Int64, using generator: inout some RandomNumberGenerator
    ) -> ConnectionID {
        let (time, chance) = (UInt64(truncatingIfNeeded: milliseconds), generator.next() as UInt64)
        func digit(_ word: UInt64, _ place: Int) -> UInt8 { alphabet[Int(word >> (6 * place) & 63)] }
        let digits =
            (0..<timeLength).reversed().map { digit(time, $0) }
            + (0..<length - timeLength).map { digit(chance, $0) }
        return ConnectionID(trusted: String(decoding: digits, as: UTF8.self))
    }

    /// Makes an id for the current time of `clock`.
    package static func make(_ clock: WallClock) -> ConnectionID {
        var generator = SystemRandomNumberGenerator()
        return make(milliseconds: clock.milliseconds, using: &generator)
    }

    /// The creation time in Unix milliseconds; `nil` if the id was not made by Parley.
    package var milliseconds: Int64? {
        guard text.utf8.count == length else { return nil }
        var time: Int64 = 0
        for byte in text.utf8.prefix(timeLength) {
            guard let digit = alphabet.firstIndex(of: byte) else { return nil }
            time = time << 6 | Int64(digit)
        }
        return time
    }
}
