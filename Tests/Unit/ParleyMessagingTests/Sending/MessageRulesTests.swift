import ParleyMessaging
import ParleyModel
import Testing

@Suite("Rules for messages")
struct MessageRulesTests {
    private static let alice = User(id: UserID(trusted: "alice-id"), name: "alice")
    private static let bob = User(id: UserID(trusted: "bob-id"), name: "bob")
    private static let room = ThreadInfo(id: ThreadID(trusted: "room"), kind: .room, title: "Room")
    private static let id = MessageID(trusted: "m1")

    private let rules = MessageRules(textScalars: 3)

    private static func membership(_ role: Membership.Role) -> Membership { Membership(thread: room, role: role) }

    private func error(_ body: () throws(MessagingError) -> Void) -> MessagingError? {
        do throws(MessagingError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("a text may have the maximum of scalars, one more is too large, and an empty text needs parts")
    func texts() {
        #expect(error { () throws(MessagingError) in try rules.check("éée") } == nil)
        #expect(
            error { () throws(MessagingError) in try rules.check("éééé") }
                == .tooLarge("text is too long; allowed are at most 3 characters"))
        #expect(error { () throws(MessagingError) in try rules.check("", hasParts: true) } == nil)
        #expect(
            error { () throws(MessagingError) in try rules.check("") }
                == .invalid("text is empty; allowed are 1 or more characters"))
        #expect(
            error { () throws(MessagingError) in try rules.check("\0", hasParts: true) }
                == .invalid("text contains a NUL character, which is not allowed"))
    }

    @Test("the text of a part has the same limit")
    func parts() {
        #expect(error { () throws(MessagingError) in try rules.check([.text("abc"), .text("abc")]) } == nil)
        #expect(
            error { () throws(MessagingError) in try rules.check([.text("abc"), .text("abcd")]) }
                == .tooLarge("part 1: text is too long; allowed are at most 3 characters"))
    }

    @Test("a read-only member cannot send", arguments: [Membership.Role.owner, .moderator, .member, .readOnly])
    func writing(role: Membership.Role) {
        let failure = error { () throws(MessagingError) in try rules.check(writingAs: Self.membership(role), at: 0) }
        #expect(failure == (role == .readOnly ? MessagingError(.readOnly) : nil))
    }

    enum Change: CaseIterable {
        case edit, delete, react

        var change: MessageChange {
            switch self {
            case .edit: .edit(id, text: "x")
            case .delete: .delete(id)
            case .react: .react(id, emoji: "x", isOn: true)
            }
        }
    }

    @Test(
        "authors edit; authors, moderators and owners delete; all react",
        arguments: Change.allCases, [Membership.Role.owner, .moderator, .member])
    func rights(change: Change, role: Membership.Role) {
        for isAuthor in [true, false] {
            let place = MessagePlace(seq: 7, sender: isAuthor ? Self.alice.id : Self.bob.id)
            let failure = error { () throws(MessagingError) in
                _ = try rules.body(of: change.change, to: place, by: Self.alice.id, as: Self.membership(role))
            }
            let isAllowed =
                switch change {
                case .edit: isAuthor
                case .delete: isAuthor || role != .member
                case .react: true
                }
            if isAllowed { #expect(failure == nil) } else { #expect(failure.map(Self.isForbidden) == true) }
        }
    }

    @Test(
        "a deleted message cannot be changed, and deleting it again has no effect",
        arguments: Change.allCases)
    func gone(change: Change) throws {
        let place = MessagePlace(seq: 7, sender: Self.alice.id, isGone: true)
        var body: LogEvent.Body?
        let failure = error { () throws(MessagingError) in
            body = try rules.body(of: change.change, to: place, by: Self.alice.id, as: Self.membership(.member))
        }
        #expect(body == nil)
        #expect(failure == (change == .delete ? nil : MessagingError(.goneMessage)))
    }

    @Test("the event of a change names its message")
    func bodies() throws {
        let place = MessagePlace(seq: 7, sender: Self.alice.id)
        let bodies = try Change.allCases.map {
            try rules.body(of: $0.change, to: place, by: Self.alice.id, as: Self.membership(.member))
        }
        #expect(
            bodies == [
                .edited(MessageEdit(messageID: Self.id, messageSeq: 7, text: "x", by: Self.alice.id)),
                .deleted(MessageDeletion(messageID: Self.id, messageSeq: 7, by: Self.alice.id)),
                .reaction(Reaction(messageID: Self.id, messageSeq: 7, user: Self.alice.id, emoji: "x", isOn: true)),
            ])
    }

    private static func isForbidden(_ error: MessagingError) -> Bool {
        if case .forbidden = error { true } else { false }
    }
}
