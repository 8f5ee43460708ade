import ParleyModel
import Testing

/// One table of roles for each action: rows are requesters, in the order of `roles`.
@Suite("Rights of members")
struct RightsTests {
    private static let roles: [Membership.Role] = [.owner, .moderator, .member, .readOnly]
    private let ann = UserID(trusted: "ann")
    private let bob = UserID(trusted: "bob")

    private func membership(_ role: Membership.Role, _ kind: ThreadInfo.Kind = .room) -> Membership {
        Membership(thread: ThreadInfo(id: ThreadID(trusted: "t"), kind: kind, title: "T"), role: role)
    }

    @Test("everyone may write unless read_only")
    func writing() {
        #expect(Self.roles.map { MessageRights.violation(writingAs: membership($0)) } == [nil, nil, nil, .readOnly])
    }

    @Test("authors edit their own existing messages, members react to existing messages")
    func editing() {
        let (own, gone) = (MessagePlace(seq: 1, sender: ann), MessagePlace(seq: 1, sender: ann, isGone: true))
        #expect(MessageRights.violation(editing: own, by: ann) == nil)
        #expect(MessageRights.violation(editing: own, by: bob) == .notTheAuthor)
        #expect(MessageRights.violation(editing: gone, by: ann) == .goneMessage)
        #expect(MessageRights.violation(reactingTo: own) == nil)
        #expect(MessageRights.violation(reactingTo: gone) == .goneMessage)
    }

    @Test("authors delete their own messages, owners and moderators all")
    func deleting() {
        let message = MessagePlace(seq: 1, sender: ann)
        func violations(_ user: UserID) -> [RightsViolation?] {
            Self.roles.map { MessageRights.violation(deleting: message, by: user, in: membership($0)) }
        }
        #expect(violations(ann) == [nil, nil, nil, .readOnly])
        #expect(violations(bob) == [nil, nil, .notTheirs, .readOnly])
    }

    @Test("only the owner renames and deletes a room, nobody a direct thread")
    func changing() {
        let violations = Self.roles.map { ThreadRights.violation(changingAs: membership($0)) }
        #expect(violations == [nil, .notTheOwner, .notTheOwner, .notTheOwner])
        #expect(ThreadRights.violation(changingAs: membership(.owner, .direct)) == .directThread)
    }

    @Test("owners grant and revoke all roles, moderators the plain ones")
    func roles() {
        for present in Self.roles {
            let isPlain = present == .member || present == .readOnly
            for role in Self.roles {
                let isGivenPlain = role == .member || role == .readOnly
                let violations = Self.roles.map {
                    ThreadRights.violation(giving: role, insteadOf: present, as: membership($0))
                }
                let moderator: RightsViolation? = isPlain && isGivenPlain ? nil : .notAModerator
                #expect(violations == [nil, moderator, .notAModerator, .notAModerator], "\(present) to \(role)")
            }
            let removals = Self.roles.map { ThreadRights.violation(removing: present, as: membership($0)) }
            #expect(removals == [nil, isPlain ? nil : .notAModerator, .notAModerator, .notAModerator], "\(present)")
        }
        #expect(ThreadRights.violation(giving: .member, insteadOf: nil, as: membership(.moderator)) == nil)
        #expect(ThreadRights.violation(giving: .owner, insteadOf: nil, as: membership(.moderator)) == .notAModerator)
        #expect(
            ThreadRights.violation(giving: .member, insteadOf: nil, as: membership(.owner, .direct)) == .directThread)
        #expect(ThreadRights.violation(removing: .member, as: membership(.owner, .direct)) == .directThread)
    }

    @Test(
        "a profile has a single-line name and a web URL",
        arguments: [
            (Profile(), true), (Profile(displayName: "Ann 😀"), true), (Profile(displayName: ""), false),
            (Profile(displayName: "a\nb"), false), (Profile(displayName: "a\u{2028}b"), false),
            (Profile(displayName: String(repeating: "é", count: 150)), true),
            (Profile(displayName: String(repeating: "é", count: 151)), false),
            (Profile(avatarURL: "https://example.org/a.png"), true), (Profile(avatarURL: "http://a"), true),
            (Profile(avatarURL: "javascript:alert(1)"), false), (Profile(avatarURL: "https://a b"), false),
            (Profile(avatarURL: "/v1/attachments/0190f3"), true), (Profile(avatarURL: "/v1/attachments/"), false),
            (Profile(avatarURL: "/v1/attachments/a/../b"), false), (Profile(avatarURL: "/v1/me"), false),
            (Profile(avatarURL: "https://" + String(repeating: "a", count: 2041)), false),
        ])
    func profiles(profile: Profile, isGood: Bool) {
        #expect((profile.violation == nil) == isGood)
    }
}
