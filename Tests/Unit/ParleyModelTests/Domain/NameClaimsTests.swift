import ParleyModel
import Testing

@Suite struct NameClaimsTests {
    private let one = ConnectionID(trusted: "one")
    private let two = ConnectionID(trusted: "two")
    private let ann = NameLook(shapes: ["ann"], plain: "ann")
    /// Looks like `ann`, in another script.
    private let other = NameLook(shapes: ["ann", "x"], plain: nil)

    @Test("names in ASCII are compared in lower case, any other two by their looks")
    func looks() {
        let modern = NameLook(shapes: ["rnodern"], plain: "modern")
        let modem = NameLook(shapes: ["rnodern"], plain: "modem")
        let mixed = NameLook(shapes: ["rnodern"], plain: nil)
        #expect(!modern.isTaken(for: modem))
        #expect(mixed.isTaken(for: modern) && mixed.isTaken(for: modem) && modem.isTaken(for: mixed))
        #expect(modern.isTaken(for: modern) && mixed.isTaken(for: mixed))
        #expect(ann.isTaken(for: other) && other.isTaken(for: ann) && !ann.isTaken(for: mixed))
        #expect(NameLook(shapes: ["a", "a"], plain: nil).keys.count == 1)
        #expect(NameLook.byCase("Ann") == ann)
    }

    @Test("of names that look alike one connection has one; it may claim it again, and release it")
    func claims() {
        var claims = NameClaims(limit: 2)
        let first = [
            claims.claim(ann, for: one), claims.claim(ann, for: one), claims.claim(ann, for: two),
            claims.claim(other, for: two),
        ]
        #expect(first == [.claimed, .owned, .taken, .taken])
        let released = [claims.release(ann, by: two), claims.release(ann, by: one)]
        #expect(released == [false, true])
        let second = [
            claims.claim(other, for: two), claims.claim(ann, for: one),
            claims.claim(NameLook(shapes: ["x"], plain: "x"), for: one),
            claims.claim(NameLook(shapes: ["bob"], plain: "bob"), for: one),
            // Above the limit.
            claims.claim(NameLook(shapes: ["cat"], plain: "cat"), for: one),
        ]
        #expect(second == [.claimed, .taken, .taken, .claimed, .taken])
        #expect(claims.all.count == 2)
    }
}
