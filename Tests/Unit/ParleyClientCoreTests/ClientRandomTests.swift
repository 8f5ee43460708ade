import ParleyClientCore
import Testing

/// Ids that contain their time.
@Suite struct ClientRandomTests {
    @Test("a client id is a UUIDv7 in its canonical form, whose order is that of the time")
    func canonical() throws {
        var random = ClientRandom(seed: 7)
        let one = random.uuid7(milliseconds: 1_795_255_200_123)
        let next = random.uuid7(milliseconds: 1_795_255_200_124)
        #expect(one.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(one < next && one.prefix(13) == "01a1fd8c-697b")
    }
}
