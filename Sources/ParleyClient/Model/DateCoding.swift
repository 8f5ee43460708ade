import Foundation
import ParleyClientCore

extension Date {
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Since 1970, within the bounds of the server's dates; apps may pass any date.
    var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        // False for NaN too.
        guard value > 0 else { return 0 }
        return value < Double(Int64.lastMilliseconds) ? Int64(value) : Int64.lastMilliseconds
    }
}
