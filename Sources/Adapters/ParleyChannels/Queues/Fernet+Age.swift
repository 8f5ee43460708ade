import Foundation
import ParleyModel

extension Fernet {
    /// The maximum lead of a token over this clock, in seconds.
    private static var maximumLead: Int64 { 60 }
    /// The additional time after `expiry` for which a token is accepted, in seconds.
    private static var graceSeconds: Int64 { 10 }

    /// Whether the core layer of channels_redis accepts a token of this age; its pub/sub layer accepts any.
    /// - Parameter token: An authentic token.
    package static func isTimely(_ token: [UInt8], now: Int64, expiry: Int64) -> Bool {
        guard let seconds = seconds(of: token) else { return false }
        return seconds + expiry + graceSeconds >= now && seconds <= now + maximumLead
    }

    /// Returns the Unix time in a token: eight bytes after the version.
    private static func seconds(of token: [UInt8]) -> Int64? {
        let start = token.prefix(12).map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        guard let data = Data(base64Encoded: Data(start)), data.count == 9 else { return nil }
        return data.dropFirst().reduce(0) { $0 << 8 | Int64($1) }.within(0...LogBounds.dates.upperBound / 1000)
    }
}
