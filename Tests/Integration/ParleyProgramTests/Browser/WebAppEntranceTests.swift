import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Invitations, and blocks between users, as each of the people sees them.
    @Suite struct WebAppEntranceTests {
        private static let isInvited = "!document.getElementById('invitations').hidden"

        /// Invites a user in the open dialog about the ways into a room.
        private func invite(_ user: String, saying text: String, _ page: ChatPage) async throws {
            try await page.browser.type(user, into: "#way-name")
            try await page.browser.type(text, into: "#way-text")
            try await page.browser.click("[data-action=invite]")
            try await page.browser.wait(for: "document.querySelector('.way-in')?.innerText.includes('\(user)')")
        }

        /// The status of the answer to a program that accepts the invitation to the thread at that place.
        private func accept(_ place: String, _ page: ChatPage) async throws -> JSONValue {
            try await page.browser.runAsync(
                """
                const thread = \(JSONValue.string(place).text).split('/')[2];
                return (await fetch(`/v1/me/invitations/${thread}/accept`, { method: 'POST' })).status;
                """)
        }

        @Test("an invitation to a private room is declined or lets its user in once, and shows a third person nothing")
        func invitation() async throws {
            try await ChatPage.withPages(.desktop, .phone, .phone) { _, pages in
                let (alice, bob, carl) = (pages[0], pages[1], pages[2])
                for (page, name) in zip(pages, ["alice", "bob", "carl"]) { try await page.signUp(name) }
                try await alice.join("Den", visibility: "private")
                try await alice.say("a secret")
                try await alice.sees(["a secret"])
                let place = try #require(try await alice.browser.run("return location.hash").string)
                try await alice.browser.click("#open-members")
                try await alice.browser.click("[data-action=open-entrances]")

                try await invite("bob", saying: "Come in", alice)
                try await bob.browser.wait(
                    for: "\(Self.isInvited) && document.querySelector('.invitation').innerText.includes('Come in')")
                let shown = try await bob.browser.run("return document.querySelector('.invitation').innerText").string
                for text in ["Den", "alice"] { #expect(shown?.contains(text) == true, "\(shown ?? "")") }
                // An invitation alone shows nothing of the room.
                for page in [bob, carl] { try await page.seesNothing(of: "Den", at: place) }
                #expect(try await carl.browser.run("return \(Self.isInvited)") == false)
                try await bob.browser.click(".invitation [data-action=decline]")
                try await bob.browser.wait(for: "!(\(Self.isInvited))")
                try await alice.browser.wait(for: "!document.querySelector('.way-in')")
                #expect(try await accept(place, bob) == 404)

                try await invite("bob", saying: "Please", alice)
                try await bob.browser.wait(for: Self.isInvited)
                try await bob.browser.click(".invitation [data-action=accept]")
                try await bob.browser.wait(for: "document.getElementById('thread-title').textContent === 'Den'")
                try await bob.sees(["a secret"])
                try await alice.browser.wait(for: "!document.querySelector('.way-in')")
                try await alice.browser.wait(
                    for: "document.getElementById('messages').innerText.includes('bob joined')")
                for page in [bob, carl] { #expect(try await page.browser.run("return \(Self.isInvited)") == false) }

                // It is used, so it does not let him return.
                try await bob.browser.click("#open-members")
                try await bob.browser.click(".dialog-actions .danger")
                try await bob.browser.click("[data-action=agree]")
                try await bob.browser.wait(for: "location.hash === '#/'")
                try await bob.browser.wait(for: "!document.querySelector('#threads .thread')")
                #expect(try await accept(place, bob) == 404)
                try await carl.seesNothing(of: "Den", at: place)
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }

        @Test("two users with a block between them see that no messages are possible, until the block is ended")
        func block() async throws {
            let notice = "document.getElementById('mute')"
            let isBlocked = "!\(notice).hidden && document.getElementById('composer').hidden"
            try await ChatPage.withPages(.desktop, .desktop) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                for (page, name) in zip(pages, ["alice", "bob"]) { try await page.signUp(name) }
                for page in pages { try await page.join("Garden") }
                try await bob.say("in the room")
                try await alice.sees(["in the room"])
                try await alice.browser.click("#open-new")
                try await alice.browser.click("#tab-people")
                try await alice.browser.type("bo", into: "#person-name")
                try await alice.browser.click("#new-people .choice")
                try await alice.browser.wait(for: "document.getElementById('thread-title').textContent === 'bob'")
                try await alice.say("hi")
                try await bob.open("alice")
                try await bob.sees(["hi"])

                try await alice.browser.click("#block-user")
                try await alice.browser.click("[data-action=agree]")
                for page in pages {
                    try await page.browser.wait(for: isBlocked)
                    #expect(
                        try await page.browser.run("return \(notice).innerText")
                            == "No messages are possible between you and this user.")
                }
                // A page that was not there when it happened shows the same.
                try await bob.browser.reload()
                try await bob.browser.wait(for: isBlocked)
                // In rooms, the messages of the other are folded for the one who blocks, and for no other.
                try await alice.open("Garden")
                try await alice.browser.wait(
                    for: "document.getElementById('messages').innerText.includes('Message of a blocked user')")
                try await alice.browser.click("[data-action=unfold]")
                try await alice.sees(["in the room"])

                try await alice.open("bob")
                try await alice.browser.wait(for: "document.getElementById('block-user').title === 'End the block'")
                try await alice.browser.click("#block-user")
                for page in pages { try await page.browser.wait(for: "!(\(isBlocked))") }
                try await bob.say("again")
                try await alice.sees(["hi", "again"])
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }
    }
}
