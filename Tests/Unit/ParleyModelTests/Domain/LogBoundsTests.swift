import ParleyModel
import Testing

@Suite("The numbers of a log")
struct LogBoundsTests {
    @Test("any two dates have an age that a metric can count", arguments: [Int64.min, -1, 0, 1, .max])
    func age(of date: Int64) {
        for now in [Int64.min, 0, 1_800_000_000_000, LogBounds.dates.upperBound, .max] {
            let age = LogBounds.age(of: date, at: now)
            #expect(age.magnitude <= 1000 * 86_400_000_000_000)
            #expect(age.signum() == (now > date ? 1 : now < date ? -1 : 0))
        }
    }

    @Test("an age in between is exact")
    func exact() {
        #expect(LogBounds.age(of: 1_800_000_000_000, at: 1_800_000_000_250) == 250_000_000)
        #expect(LogBounds.age(of: 1_800_000_000_250, at: 1_800_000_000_000) == -250_000_000)
    }

    @Test("a number out of bounds is none")
    func within() {
        #expect(Int64(1 << 53).within(LogBounds.seqs) == 1 << 53)
        #expect(Int64((1 << 53) + 1).within(LogBounds.seqs) == nil)
        #expect(Int64(-1).within(LogBounds.dates) == nil)
    }
}
