import ParleyClient
import ParleyJSON
import Testing

@Suite("Threads that the server cannot reach")
struct AvailabilityTests {
    /// A client with a message of `t`, whose next hello calls `t` unavailable.
    private func returned() -> MachineHarness {
        var harness = MachineHarness()
        harness.connect()
        harness.receive(MachineHarness.message(1))
        harness.handle(.closed(code: nil))
        harness.uptime += .seconds(60)
        harness.handle(.tick)
        harness.handle(.opened)
        harness.commands = []
        harness.receive(
            """
            {"type":"hello","protocol":2,"user":{"id":"a","username":"alice"},"ping_interval_ms":25000,
            "threads":[{"id":"t","title":"T","kind":"room","role":"member","epoch":"","seq":0,"unread":0,
            "read_seq":0,"unavailable":true}]}
            """)
        return harness
    }

    @Test("what is cached stays, and its position is named in the resume")
    func stays() {
        var harness = returned()
        let position = harness.commands.first { $0["resume"] != nil }?["resume"]?["threads"]?["t"]
        #expect(position?["seq"]?.integer == 1 && position?["epoch"]?.text == "e")
        let ref = harness.ref("resume")
        harness.receive(#"{"type":"resumed","ref":\#(ref),"threads":{"t":{"state":"unavailable"}}}"#)
        #expect(harness.texts() == [1: "text 1"])
        #expect(!harness.commands.contains { $0["history"] != nil })
    }

    @Test("what was missed is fetched when the thread is back, and later events follow")
    func back() {
        var harness = returned()
        let ref = harness.ref("resume")
        harness.receive(
            #"{"type":"resumed","ref":\#(ref),"threads":{"t":{"state":"unavailable"}}}"#,
            #"{"type":"resumed","threads":{"t":{"state":"live","epoch":"e","from":2,"to":1}}}"#,
            MachineHarness.message(2))
        #expect(harness.texts() == [1: "text 1", 2: "text 2"])
    }
}
