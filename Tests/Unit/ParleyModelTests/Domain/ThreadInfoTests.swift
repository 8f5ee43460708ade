import ParleyModel
import Testing

@Suite struct ThreadInfoTests {
    private static let ids = [
        "a", "b", "a.b", "1", "1.a", "2.a", ".", "..", "-", "018f3a5c6d7e7f8091a2b3c4d5e6f708",
        "118f3a5c6d7e7f8091a2b3c4d5e6f708", String(repeating: "x", count: 89), String(repeating: "x", count: 90),
        String(repeating: "y", count: 90), ".events", "a.events",
    ].map { UserID(trusted: $0) }

    @Test("the id of a direct thread does not depend on who writes first")
    func symmetric() {
        for one in Self.ids {
            for other in Self.ids {
                #expect(ThreadInfo.directID(one, other) == ThreadInfo.directID(other, one))
            }
        }
    }

    @Test("each pair of users has a distinct, valid id")
    func distinct() {
        var seen: [ThreadID: Set<UserID>] = [:]
        for (index, one) in Self.ids.enumerated() {
            for other in Self.ids[index...] {
                let id = ThreadInfo.directID(one, other)
                #expect(ThreadID(id.text) != nil)
                #expect(!id.text.hasSuffix(".events"))
                #expect(seen[id] == nil, "\(id) is of \(one), \(other) and of \(String(describing: seen[id]))")
                seen[id] = [one, other]
            }
        }
    }

    @Test("ids made by Parley appear in the id of their direct thread")
    func readable() {
        let (one, other) = (Self.ids[9], Self.ids[10])
        #expect(ThreadInfo.directID(other, one).text == "direct.32.\(one.text).\(other.text)")
    }

    @Test("a direct thread is hidden from everybody but its two; a room from nobody")
    func hidden() {
        for one in Self.ids {
            for other in Self.ids {
                let thread = ThreadInfo.directID(one, other)
                // Nobody can be recognised in a hash.
                let isReadable = thread.text.hasSuffix(".\([one.text, other.text].max() ?? "")")
                for user in Self.ids {
                    let isOfPair = isReadable && (user == one || user == other)
                    #expect(ThreadInfo.isHidden(thread, fromNonMember: user) == !isOfPair, "\(thread) from \(user)")
                }
            }
        }
        for id in ["direct.", "direct.1", "direct.1.", "direct.1.a", "direct.9.a.b", "direct.1.b.a", "direct.01.a.b"] {
            #expect(ThreadInfo.isHidden(ThreadID(trusted: id), fromNonMember: UserID(trusted: "a")), "\(id)")
        }
        #expect(!ThreadInfo.isHidden(ThreadID(trusted: "a.direct.b"), fromNonMember: UserID(trusted: "c")))
    }

    @Test(
        "a back end may give a room any id except those of direct threads and channels",
        arguments: [
            ("a", true), ("events", true), ("a.events.", true), ("direct", true), ("a.direct.b", true),
            (".events", false), ("a.events", false), ("direct.", false), ("direct.1.a.b", false),
        ])
    func roomIDs(id: String, isAllowed: Bool) {
        #expect((ThreadInfo.violation(inRoomID: ThreadID(trusted: id)) == nil) == isAllowed)
    }
}
