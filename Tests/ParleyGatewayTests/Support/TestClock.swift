import ParleyModel
import Synchronization

/// A wall clock that a test moves.
final class TestClock: Sendable {
    private let now = Atomic<Int64>(1_800_000_000_000)

    var wall: WallClock { WallClock { [self] in now.load(ordering: .relaxed) } }

    func advance(milliseconds: Int64) {
        now.add(milliseconds, ordering: .relaxed)
    }
}
