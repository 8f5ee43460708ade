package import Foundation
import ParleyClientCore

extension Date {
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The milliseconds since 1970, within the range of the server's dates. Apps may pass any date.
    package var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        // The comparison is false for NaN.
        guard value > 0 else { return 0 }
        return value < Double(Int64.lastMilliseconds) ? Int64(value) : Int64.lastMilliseconds
    }
}
