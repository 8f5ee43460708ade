import ParleyModel
import ParleyTestSupport
import Testing

@Suite struct EpochTests {
    @Test("a new epoch is 8 letters and digits, and not the one before")
    func make() {
        var generator = SeededGenerator(7)
        let epochs = (0..<100).map { _ in Epoch.make(using: &generator) }
        #expect(Set(epochs).count == 100)
        #expect(epochs.allSatisfy { $0.text.utf8.count == 8 && ThreadID($0.text) != nil })
    }
}
