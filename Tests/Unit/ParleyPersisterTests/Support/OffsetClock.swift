import ParleyModel
import ParleyTestContracts
import Synchronization

/// The clock of a process that can be set back, while the clock of the database continues.
final class OffsetClock: Sendable {
    private let base: TestClock
    private let offset = Atomic<Int64>(0)

    init(_ base: TestClock) {
        self.base = base
    }

    var wall: WallClock { WallClock { [self] in base.milliseconds + offset.load(ordering: .relaxed) } }

    func setBack(by duration: Duration) {
        offset.subtract(Int64(duration / .milliseconds(1)), ordering: .relaxed)
    }
}
