import ParleyRedisModel
import Testing

@Suite struct ScriptPinTests {
    @Test("the effects were written for the scripts as they are")
    func pins() {
        for (name, sha) in ScriptPins.current.sorted(by: { $0.key < $1.key }) {
            #expect(ScriptPins.pins[name] == sha, "\(name): compare its effect with its text, then pin it as \(sha)")
        }
        #expect(ScriptPins.pins.count == ScriptPins.current.count)
    }
}
