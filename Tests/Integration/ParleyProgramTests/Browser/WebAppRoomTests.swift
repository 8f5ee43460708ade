import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The settings of a room, and the ways into a private one, as several people see them.
    @Suite struct WebAppRoomTests {
        private static let notice = "document.getElementById('mute')"

        @Test(
            "the owner changes topic, slow mode, rights and archive in a form, and another browser shows each at once")
        func settings() async throws {
            try await ChatPage.withPages(.desktop, .desktop) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                for page in pages { try await page.join("Garden") }
                // The script of the form is not part of a first visit.
                let loaded = "performance.getEntriesByType('resource').some((each) => each.name.includes('viewRoom'))"
                try await alice.browser.wait(for: "!\(loaded)")
                try await alice.openRoomSettings()
                try await alice.browser.wait(for: loaded)
                try await alice.browser.type("Planting", into: "#room-topic")
                try await alice.browser.type("Be kind.", into: "#room-rules")
                try await alice.select("60", in: "room-slow")
                try await alice.saveRoom()
                try await bob.browser.wait(for: "document.getElementById('thread-status').innerText === 'Planting'")
                try await bob.say("one")
                try await alice.sees(["one"])
                try await bob.browser.wait(
                    for:
                        "document.getElementById('composer-hint').innerText.startsWith('Slow mode: you can write again')"
                )
                try await bob.browser.click("#open-members")
                try await bob.browser.click("[data-action=open-room]")
                try await bob.browser.wait(for: "document.querySelector('.written')")
                let about = try await bob.browser.run(
                    "return [...document.querySelectorAll('dialog')].at(-1).innerText")
                for text in ["About this room", "Planting", "Be kind.", "Slow mode: one message in 1 minute."] {
                    #expect(about.string?.contains(text) == true, "\(text) in \(about.text)")
                }
                #expect(try await bob.browser.run("return document.getElementById('room-topic')") == .null)
                try await bob.closeDialogs()

                try await alice.select("moderators", in: "room-write")
                try await alice.saveRoom()
                try await bob.browser.wait(for: "\(Self.notice).innerText === 'Only moderators write in this room.'")
                try await alice.browser.click("[data-action=archive-room]")
                try await alice.browser.click("[data-action=agree]")
                try await bob.browser.wait(for: "\(Self.notice).innerText === 'This room is archived.'")
                // The open conversation stays in the list until it is closed.
                _ = try await bob.browser.run("location.hash = '#/'")
                try await bob.browser.wait(for: "!document.querySelector('#threads .thread')")
                try await alice.browser.wait(for: "document.activeElement.dataset.action === 'reopen-room'")
                try await alice.browser.click("[data-action=reopen-room]")
                try await bob.browser.wait(for: "document.querySelector('#threads .thread')")
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }

        @Test("an error is at its field, which gets the focus; a moderator changes the texts, and not the title")
        func errors() async throws {
            try await ChatPage.withPages(.desktop, .phone) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                for page in pages { try await page.join("Garden") }
                try await bob.browser.click("#back")
                try await bob.join("Taken")
                try await alice.openRoomSettings()
                try await alice.browser.clear("#room-name")
                try await alice.browser.click("[data-action=save-room]")
                try await alice.waitForError("A title has 1 to 64 visible characters.", at: "room-name")
                try await alice.browser.type("Taken", into: "#room-name")
                try await alice.browser.wait(for: "document.getElementById('room-name-error').hidden")
                try await alice.browser.click("[data-action=save-room]")
                try await alice.waitForError("A room has this title already.", at: "room-name")
                try await alice.browser.clear("#room-name")
                try await alice.browser.type("Garden", into: "#room-name")
                try await alice.browser.type("a\u{202E}b", into: "#room-description")
                try await alice.browser.click("[data-action=save-room]")
                try await alice.waitForError("This has a character that cannot be seen", at: "room-description")
                try await alice.browser.clear("#room-description")
                try await alice.browser.type("About plants", into: "#room-description")
                try await alice.saveRoom()

                _ = try await alice.browser.run(
                    """
                    const role = document.querySelector('.members select');
                    role.value = 'moderator';
                    role.dispatchEvent(new Event('change'));
                    """)
                try await bob.browser.click("#back")
                try await bob.open("Garden")
                try await bob.browser.wait(
                    for: "document.getElementById('messages').innerText.includes('You are now a moderator')")
                try await bob.openRoomSettings()
                let isDisabled = { (field: String) in "document.getElementById('room-\(field)').disabled" }
                for field in ["name", "visibility", "history", "write", "add"] {
                    #expect(try await bob.browser.run("return \(isDisabled(field))") == true, "\(field)")
                }
                for field in ["topic", "description", "rules", "slow"] {
                    #expect(try await bob.browser.run("return \(isDisabled(field))") == false, "\(field)")
                }
                #expect(
                    try await bob.browser.run("return document.querySelector('[data-action=archive-room]')") == .null)
                try await bob.browser.type("Seeds", into: "#room-topic")
                try await bob.saveRoom()
                try await alice.browser.wait(for: "document.getElementById('thread-status').innerText === 'Seeds'")
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }

        @Test("a private room is shown to nobody until a link of one use lets one person in; it lets in no other")
        func link() async throws {
            try await ChatPage.withPages(.desktop, .desktop, .phone) { _, pages in
                let (alice, carl, dora) = (pages[0], pages[1], pages[2])
                for (page, name) in zip(pages, ["alice", "carl", "dora"]) { try await page.signUp(name) }
                try await alice.join("Den", visibility: "private")
                try await alice.say("a secret")
                try await alice.sees(["a secret"])
                let place = try #require(try await alice.browser.run("return location.hash").string)
                for page in [carl, dora] { try await page.seesNothing(of: "Den", at: place) }

                try await alice.browser.click("#open-members")
                try await alice.browser.click("[data-action=open-entrances]")
                try await alice.select("one", in: "link-uses")
                try await alice.browser.click("[data-action=make-link]")
                try await alice.browser.wait(for: "document.getElementById('link-address')?.value.includes('#/join/')")
                let link = try await alice.browser.run(
                    "return new URL(document.getElementById('link-address').value).hash")

                _ = try await carl.browser.run("location.hash = \(link.text)")
                try await carl.browser.wait(for: "document.querySelector('.join-title')?.innerText === 'Den'")
                // The page of a link shows no messages, and joins nobody by itself.
                #expect(try await carl.browser.run("return document.querySelectorAll('#threads .thread').length") == 0)
                try await carl.browser.click("[data-action=join]")
                try await carl.browser.wait(for: "document.getElementById('thread-title').textContent === 'Den'")
                try await carl.sees(["a secret"])
                try await alice.browser.wait(
                    for: "document.getElementById('messages').innerText.includes('carl joined')")

                _ = try await dora.browser.run("location.hash = \(link.text)")
                try await dora.browser.wait(
                    for: "document.querySelector('dialog .error')?.innerText.startsWith('This link is not valid')")
                #expect(try await dora.browser.run("return document.querySelector('[data-action=join]')") == .null)
                try await dora.closeDialogs()
                try await dora.seesNothing(of: "Den", at: place)
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }
    }
}

extension ChatPage {
    /// Waits until a field of a form has an error that begins with that text, and the focus.
    fileprivate func waitForError(_ text: String, at field: String) async throws {
        try await browser.wait(
            for: """
                [document.getElementById('\(field)')].some((field) => field === document.activeElement
                    && field.getAttribute('aria-invalid') === 'true' && field.getAttribute('aria-describedby').startsWith('\(field)-error')
                    && document.getElementById('\(field)-error').innerText.startsWith(\(JSONValue.string(text).text)))
                """)
    }

    /// Finds no room of that title: neither in the list, nor among the rooms to join, nor at its address.
    func seesNothing(of title: String, at place: String) async throws {
        _ = try await browser.run("location.hash = '#/'")
        try await browser.wait(for: "document.getElementById('open-new').checkVisibility()")
        try await browser.click("#open-new")
        try await browser.wait(for: "document.querySelector('#new-rooms .hint')")
        try await browser.type(title, into: "#room-title")
        try await browser.wait(for: "document.getElementById('room-create').textContent === 'Create “\(title)”'")
        #expect(try await browser.run("return document.querySelectorAll('#new-rooms .choice').length") == 0)
        try await closeDialogs()
        #expect(try await browser.run("return document.querySelectorAll('#threads .thread').length") == 0)
        _ = try await browser.run("location.hash = \(JSONValue.string(place).text)")
        try await browser.wait(for: "document.getElementById('older').textContent !== ''")
        #expect(try await browser.run("return document.getElementById('thread-title').textContent") != .string(title))
        #expect(try await shownTexts() == [])
        _ = try await browser.run("location.hash = '#/'")
    }
}
