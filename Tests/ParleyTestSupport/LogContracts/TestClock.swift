package import ParleyModel
import Synchronization

/// A wall clock that a test sets.
package final class TestClock: Sendable {
    private let now: Mutex<Int64>

    package init(milliseconds: Int64 = 1_700_000_000_000) {
        now = Mutex(milliseconds)
    }

    package var milliseconds: Int64 {
        get { now.withLock { $0 } }
        set { now.withLock { $0 = newValue } }
    }

    package var wallClock: WallClock {
        WallClock { self.milliseconds }
    }
}
