import ParleyTerminal
import Testing

@Suite struct LineCommandTests {
    @Test(
        "a line is a text, or a command after a slash",
        arguments: [
            ("", nil), ("Hello", .text("Hello")), (" /quit", .text(" /quit")), ("//etc/hosts", .text("/etc/hosts")),
            ("/edit 7 new text", .edit(.seq(7), text: "new text")), ("/delete last", .delete(.last)),
            ("/react 7 👍", .react(.seq(7), emoji: "👍", isOn: true)),
            ("/unreact 7 👍", .react(.seq(7), emoji: "👍", isOn: false)),
            ("/reply 7   two  words", .reply(.seq(7), text: "two  words")),
            ("/edit 0190-ab x", .edit(.id("0190-ab"), text: "x")), ("/read", .read), ("/older", .older),
            ("/search two words", .search("two words")), ("/quit", .quit), ("/retry last", .retry(.last)),
            ("/discard last", .discard(.last)),
            ("/unban bob", .sanction(.unban(user: "bob"))), ("/links", .entrance(.links)),
        ] as [(String, LineCommand?)])
    func valid(_ line: String, _ command: LineCommand?) throws {
        #expect(try LineCommand.parse(line) == command)
    }

    @Test(
        "moderators mute and ban with a name, a time and a reason; a word that is no time begins the reason",
        arguments: [
            ("mute", "bob", .mute(user: "bob", duration: nil, reason: nil)),
            ("mute", "bob 10m", .mute(user: "bob", duration: .seconds(600), reason: nil)),
            ("mute", "bob 90s  two  words ", .mute(user: "bob", duration: .seconds(90), reason: "two  words")),
            ("mute", "id:7 12h", .mute(user: "id:7", duration: .seconds(43_200), reason: nil)),
            ("ban", "bob spam", .ban(user: "bob", duration: nil, reason: "spam")),
            ("ban", "bob 1d", .ban(user: "bob", duration: .seconds(86_400), reason: nil)),
            ("ban", "bob 2w 3 times", .ban(user: "bob", duration: .seconds(1_209_600), reason: "3 times")),
            ("ban", "bob 3650d", .ban(user: "bob", duration: .seconds(315_360_000), reason: nil)),
            ("ban", "bob m -1m", .ban(user: "bob", duration: nil, reason: "m -1m")),
            ("unmute", "bob", .unmute(user: "bob")), ("unban", "bob", .unban(user: "bob")), ("sing", "bob", nil),
        ] as [(String, String, SanctionCommand?)])
    func sanctions(_ name: String, _ rest: String, _ command: SanctionCommand?) throws {
        #expect(try SanctionCommand.parse(name, rest) == command)
    }

    @Test(
        "groups, links and another owner",
        arguments: [
            ("group", "bob", .createGroup(users: ["bob"], title: nil)),
            ("group", "bob,id:7  The feast ", .createGroup(users: ["bob", "id:7"], title: "The feast")),
            ("link", "", .createLink(duration: nil, uses: nil)),
            ("link", "7d", .createLink(duration: .seconds(604_800), uses: nil)),
            ("link", "10", .createLink(duration: nil, uses: 10)),
            ("link", "12h 1", .createLink(duration: .seconds(43_200), uses: 1)), ("links", "", .links),
            ("revoke-link", "0190f7", .revokeLink(id: "0190f7")),
            ("join-link", "Zk3-v_X0", .joinLink(code: "Zk3-v_X0")),
            ("join-link", "https://chat.example.org/chat/#/join/Zk3", .joinLink(code: "Zk3")),
            ("owner", "bob", .setOwner(user: "bob")), ("sing", "bob", nil),
        ] as [(String, String, EntranceCommand?)])
    func entrances(_ name: String, _ rest: String, _ command: EntranceCommand?) throws {
        #expect(try EntranceCommand.parse(name, rest) == command)
    }

    @Test(
        "invitations and requests",
        arguments: [
            ("invite", "bob", .invite(user: "bob", duration: nil, text: nil)),
            ("invite", "bob 7d", .invite(user: "bob", duration: .seconds(604_800), text: nil)),
            ("invite", "bob 1h The  feast ", .invite(user: "bob", duration: .seconds(3600), text: "The  feast")),
            ("invite", "bob The feast", .invite(user: "bob", duration: nil, text: "The feast")),
            ("uninvite", "bob", .withdrawInvitation(user: "bob")), ("invitations", "", .invitations),
            ("my-invitations", "", .myInvitations), ("accept", "The attic ", .acceptInvitation(room: "The attic")),
            ("decline", "0190a1", .declineInvitation(room: "0190a1")),
            ("request", "0190a1", .request(thread: "0190a1", text: nil)),
            ("request", "0190a1 I grow tomatoes", .request(thread: "0190a1", text: "I grow tomatoes")),
            ("my-requests", "", .myRequests), ("withdraw", "0190a1", .withdrawRequest(thread: "0190a1")),
            ("requests", "", .requests), ("admit", "bob", .acceptRequest(user: "bob")),
            ("refuse", "bob", .refuseRequest(user: "bob")),
        ] as [(String, String, EntranceCommand)])
    func invitations(_ name: String, _ rest: String, _ command: EntranceCommand) throws {
        #expect(try EntranceCommand.parse(name, rest) == command)
    }

    @Test(
        "details of rooms, and blocks",
        arguments: [
            ("room", "", .details), ("topic", "Planting  time ", .topic("Planting  time")), ("topic", "", .topic("")),
            ("description", "x", .description("x")), ("rules", "Be kind.", .rules("Be kind.")),
            ("slow", "30s", .slowMode(seconds: 30)), ("slow", "6h", .slowMode(seconds: 21_600)),
            ("slow", "off", .slowMode(seconds: 0)),
            ("right", "attach moderators", .right(.attach, isForEveryone: false)),
            ("right", "add everyone", .right(.add, isForEveryone: true)), ("archive", "", .archive(true)),
            ("unarchive", "", .archive(false)), ("block", "bob", .block(user: "bob")),
            ("unblock", "id:7", .unblock(user: "id:7")), ("blocks", "", .blocks), ("sing", "", nil),
        ] as [(String, String, RoomCommand?)])
    func rooms(_ name: String, _ rest: String, _ command: RoomCommand?) throws {
        #expect(try RoomCommand.parse(name, rest) == command)
    }

    @Test(
        "a line that begins with a slash and is no command is refused, not sent",
        arguments: [
            "/", "/edit", "/edit 7", "/edit  ", "/delete", "/delete 7 8", "/react 7", "/search", "/quit now", "/sing",
            "/delete 99999999999999999999", "/mute", "/ban  ", "/unmute", "/unban bob now", "/mute bob 0m",
            "/ban bob 3651d", "/ban bob 99999999999999999999s", "/group", "/group ,", "/link soon", "/link 1d 0",
            "/link 10001", "/link 1d 2 3", "/links all", "/revoke-link", "/join-link", "/join-link a b", "/owner",
            "/invite", "/uninvite", "/accept", "/decline  ", "/invitations now", "/request", "/withdraw a b", "/admit",
            "/refuse", "/requests all", "/slow", "/slow 7h", "/slow down", "/right", "/right sing everyone",
            "/right write all", "/archive now", "/block", "/unblock a b", "/blocks all", "/room 7",
        ])
    func invalid(_ line: String) {
        #expect(throws: LineCommand.Invalid.self) { try LineCommand.parse(line) }
    }
}
