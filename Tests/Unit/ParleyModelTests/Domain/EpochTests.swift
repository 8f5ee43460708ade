import ParleyModel
import ParleyTestSupport
import Testing

@Suite struct EpochTests {
    @Test("a new epoch has 8 letters and digits and differs from the previous one")
    func make() {
        var generator = SeededGenerator(7)
        let epochs = (0..<100).map { _ in Epoch.make(using: &generator) }
        #expect(Set(epochs).count == 100)
        #expect(epochs.allSatisfy { $0.text.utf8.count == 8 && ThreadID($0.text) != nil })
    }
}
