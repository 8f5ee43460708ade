import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The page as a person sees it.
    @Suite struct WebAppShownTests {
        private static let receipt = "document.getElementById('receipt')"
        private static let preview = "document.querySelector('#threads .thread-preview').innerText"

        /// Whether an element is on the screen, all of it.
        private static func isOnScreen(_ element: String) -> String {
            "[\(element)].every((node) => { const box = node.getBoundingClientRect(); "
                + "return box.width > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth; })"
        }

        /// Two people in the room `Garden`, which both have open.
        private func withGarden(
            _ first: WebDriver.Screen = .desktop, _ second: WebDriver.Screen = .desktop, language: String = "en-GB",
            _ body: (ParleyProcess, ChatPage, ChatPage) async throws -> Void
        ) async throws {
            try await ChatPage.withPages(first, second, language: language) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                for page in pages { try await page.join("Garden") }
                try await body(parley, alice, bob)
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }

        private func setDisplayName(_ name: String, _ page: ChatPage) async throws {
            try await page.browser.click("#open-settings")
            try await page.browser.clear("#display-name")
            try await page.browser.type(name, into: "#display-name")
            _ = try await page.browser.run("document.getElementById('display-name').form.requestSubmit()")
            try await page.browser.wait(for: "document.querySelector('dialog').innerText.includes('Saved.')")
            try await page.browser.click("[data-action=close]")
        }

        @Test("a read message is read on a device that has kept nothing, too")
        func receipts() async throws {
            try await withGarden { _, alice, bob in
                try await alice.say("Seen?")
                try await bob.sees(["Seen?"])
                try await alice.browser.wait(for: "\(Self.receipt).innerText.startsWith('Read ')")
                try await alice.forgetKept()
                try await alice.browser.reload()
                try await alice.sees(["Seen?"])
                try await alice.browser.wait(for: "\(Self.receipt).innerText.startsWith('Read ')")
                #expect(try await alice.browser.run("return \(Self.isOnScreen(Self.receipt))") == true)
                #expect(
                    try await alice.browser.run("return \(Self.receipt).title").string?.hasPrefix("Read by bob") == true
                )
            }
        }

        @Test("a display name is shown wherever a user is, with one color, and a new one reaches an open page")
        func names() async throws {
            try await withGarden { _, alice, bob in
                try await setDisplayName("Bob the Builder", bob)
                #expect(
                    try await bob.browser.run("return document.getElementById('me').innerText") == "Bob the Builder")
                try await bob.say("hello")
                try await alice.sees(["hello"])
                let sender = "document.querySelector('#messages .first .sender').innerText"
                try await alice.browser.wait(for: "\(sender) === 'Bob the Builder'")
                try await alice.browser.wait(for: "\(Self.preview) === 'Bob the Builder: hello'")
                try await alice.browser.wait(
                    for: "document.getElementById('messages').innerText.includes('Bob the Builder joined')")
                let hue = try await alice.browser.run("return document.querySelector('#messages .sender').dataset.hue")

                // A mention is found by either name, and written with the username.
                try await alice.browser.type("@bui", into: "#text")
                try await alice.browser.wait(
                    for: "document.getElementById('mentions').innerText === '@bob Bob the Builder'")
                try await alice.browser.type("\u{E007}, hi\u{E007}", into: "#text")
                try await alice.sees(["hello", "@bob , hi"])

                try await alice.browser.click("#open-new")
                try await alice.browser.click("#tab-people")
                try await alice.browser.type("bob", into: "#person-name")
                try await alice.browser.click("#new-people .choice")
                try await alice.browser.wait(
                    for: "document.getElementById('thread-title').innerText === 'Bob the Builder'")
                let hues =
                    "[document.getElementById('thread-avatar'), document.querySelector('.thread[aria-current] .avatar')]"
                try await alice.browser.wait(for: "\(hues).every((node) => node.dataset.hue === '\(hue.string ?? "")')")

                try await alice.open("Garden")
                try await bob.say("back")
                try await alice.sees(["hello", "@bob , hi", "back"])
                try await setDisplayName("Robert", bob)
                // Without a reload, and long before the page asks for the members again.
                try await alice.browser.wait(for: "\(sender) === 'Robert'", within: .seconds(5))
                try await alice.browser.wait(for: "\(Self.preview).startsWith('Robert: ')", within: .seconds(1))
                #expect(
                    try await alice.browser.run(
                        "return \(Self.isOnScreen("document.querySelector('#messages .first .sender')"))") == true)
            }
        }

        @Test("sentences about the reader, labels and errors say what happens")
        func texts() async throws {
            try await withGarden { _, alice, bob in
                try await alice.browser.click("#open-members")
                try await alice.browser.click("dialog .members .icon-button")
                try await alice.browser.wait(
                    for: "document.querySelector('dialog.question [data-action=agree]').innerText === 'Remove'")
                try await alice.browser.click("dialog.question .secondary")
                _ = try await alice.browser.run(
                    "const role = document.querySelector('.members select'); role.value = 'read_only'; role.dispatchEvent(new Event('change'));"
                )
                try await bob.browser.wait(
                    for: "document.getElementById('messages').innerText.includes('You can now only read')")
                try await alice.browser.wait(
                    for: "document.getElementById('messages').innerText.includes('bob can now only read')")
                try await alice.browser.click("[data-action=close]")
                #expect(
                    try await bob.browser.run("return document.getElementById('text').placeholder")
                        == "You can read here, but not write.")
                #expect(try await bob.browser.run("return document.getElementById('send').checkVisibility()") == false)

                try await bob.browser.click("#open-settings")
                try await bob.browser.type("wrong horse", into: "#old-password")
                try await bob.browser.type("another horse", into: "#new-password")
                _ = try await bob.browser.run("document.getElementById('old-password').form.requestSubmit()")
                try await bob.browser.wait(
                    for:
                        "document.querySelector('dialog form .error')?.innerText.startsWith('The current password is wrong')"
                )
            }
        }

        @Test("a German browser gets German texts, dates and errors")
        func german() async throws {
            try await withGarden(language: "de-DE") { _, alice, bob in
                #expect(try await alice.browser.run("return document.documentElement.lang") == "de")
                try await alice.say("Hallo")
                try await bob.sees(["Hallo"])
                try await alice.browser.wait(for: "/^Gelesen \\d\\d:\\d\\d$/.test(\(Self.receipt).innerText)")
                #expect(try await alice.browser.run("return document.querySelector('.day').innerText") == "Heute")
                #expect(
                    try await alice.browser.run(
                        "return document.getElementById('messages').innerText.includes('bob ist beigetreten')") == true)
                #expect(
                    try await alice.browser.run("return document.getElementById('text').placeholder")
                        == "Nachricht an Garden")
                try await alice.logOut()
                try await alice.browser.type("alice", into: "#username")
                try await alice.browser.type("wrong", into: "#password")
                try await alice.browser.click("#login-submit")
                try await alice.browser.wait(
                    for: "document.getElementById('login-error').innerText === 'Benutzername oder Passwort ist falsch.'"
                )
            }
        }

        @Test("the actions of a message cover no other message", arguments: [WebDriver.Screen.desktop, .phone])
        func actions(screen: WebDriver.Screen) async throws {
            try await withGarden(screen) { _, alice, bob in
                for index in 1...4 {
                    try await bob.say("bob \(index)")
                    try await alice.say("alice \(index)")
                }
                try await alice.browser.wait(
                    for: "document.querySelectorAll('#messages [data-kind=message]').length === 8")
                let covered = try await alice.browser.run(
                    """
                    const all = [...document.querySelectorAll('#messages article')];
                    return all.filter((node) => {
                        node.focus({ preventScroll: true });
                        const bar = document.querySelector('.tools')?.getBoundingClientRect();
                        const covers = (box) => box.top < bar.bottom - 1 && box.bottom > bar.top + 1 && box.left < bar.right && box.right > bar.left;
                        const others = all.filter((each) => each !== node).map((each) => each.querySelector('.bubble').getBoundingClientRect());
                        return !bar || bar.right > innerWidth || bar.left < 0 || others.some(covers);
                    }).length;
                    """)
                #expect(covered == 0)
            }
        }

        @Test("rows that move below a resting mouse do not take the actions from the focused message")
        func restingMouse() async throws {
            try await withGarden { _, alice, bob in
                for index in 1...20 { try await bob.send(text: "message \(index)") }
                let last = "[...document.querySelectorAll('#messages article')].at(-1)"
                try await alice.browser.wait(for: "\(last)?.innerText.includes('message 20')")
                // Its click leaves the mouse on the last message.
                try await alice.browser.click("#messages article:last-of-type .bubble")
                _ = try await alice.browser.run(
                    """
                    window.passed = 0;
                    document.getElementById('messages').addEventListener('pointerover', () => { window.passed += 1; });
                    [...document.querySelectorAll('#messages article')].at(-2).focus({ preventScroll: true });
                    """)
                try await alice.browser.wait(for: "document.querySelector('article:focus .tools')")
                for index in 21...23 { try await bob.send(text: "message \(index)") }
                try await alice.browser.wait(for: "\(last).innerText.includes('message 23') && window.passed > 0")
                let hasActions = try await alice.browser.run(
                    "return Boolean(document.querySelector('article:focus .tools'))")
                #expect(hasActions == true)
            }
        }

        @Test("messages count as read as they come into view, and the list says who is typing")
        func reading() async throws {
            try await withGarden { _, alice, bob in
                try await alice.join("Elsewhere")
                for index in 1...60 { try await bob.send(text: "message \(index)") }
                try await alice.waitForBadge("60", on: "Garden")
                try await alice.open("Garden")
                let badge =
                    "Number(document.querySelector('.thread[aria-current] .badge:not([hidden])')?.innerText ?? 0)"
                try await alice.browser.wait(for: "document.getElementById('messages').innerText.includes('message 5')")
                try await alice.browser.wait(for: "\(badge) < 60 && \(badge) > 20")
                let first = try await alice.browser.run("return \(badge)").int ?? 0
                _ = try await alice.browser.run("document.getElementById('scroller').scrollBy(0, 500)")
                try await alice.browser.wait(for: "\(badge) < \(first) && \(badge) > 0")
                _ = try await alice.browser.run("document.getElementById('scroller').scrollBy(0, 100_000)")
                try await alice.browser.wait(for: "\(badge) === 0")

                try await alice.open("Elsewhere")
                try await bob.browser.type("I am", into: "#text")
                let row = "[...document.querySelectorAll('.thread')].find((each) => each.innerText.includes('Garden'))"
                try await alice.browser.wait(
                    for: "\(row).querySelector('.thread-preview').innerText === 'bob is typing…'")
            }
        }

        @Test("typing disappears with the message, and typing again is shown at once")
        func typing() async throws {
            try await withGarden { _, alice, bob in
                let shown = "document.getElementById('typing').innerText"
                for text in ["one", "two", "three"] {
                    try await bob.browser.type(text, into: "#text")
                    try await alice.browser.wait(for: "\(shown) === 'bob is typing…'")
                    try await bob.browser.press("\u{E007}")
                    try await alice.browser.wait(for: "\(ChatPage.texts).at(-1) === '\(text)'")
                    #expect(try await alice.browser.run("return \(shown)") == "")
                }
            }
        }

        @Test("a location is shown before it is sent, and not sent if the user does not want it")
        func location() async throws {
            try await withGarden { parley, alice, bob in
                try await alice.browser.execute(
                    "Browser.grantPermissions", ["permissions": ["geolocation"], "origin": .string(parley.baseURL)])
                try await alice.browser.execute(
                    "Emulation.setGeolocationOverride", ["latitude": 52, "longitude": 13, "accuracy": 10])
                try await alice.browser.click("#add-location")
                try await alice.browser.wait(
                    for: "document.querySelector('dialog')?.innerText.includes('52.00000, 13.00000')")
                #expect(
                    try await alice.browser.run("return document.querySelector('dialog h2').innerText")
                        == "Send your location to Garden?")
                try await alice.browser.click("dialog .secondary")
                try await alice.say("not there")
                try await bob.sees(["not there"])
                #expect(
                    try await bob.browser.run("return document.querySelectorAll('#messages .card-part').length") == 0)
                try await alice.browser.click("#add-location")
                try await alice.browser.click("dialog [data-action=agree]")
                try await bob.browser.wait(
                    for: "document.querySelector('#messages .card-part')?.innerText.includes('52.00000, 13.00000')")
            }
        }

        @Test("without a server the page does not claim that there are no rooms")
        func roomsWithoutServer() async throws {
            try await withGarden { parley, alice, _ in
                try await parley.kill()
                try await alice.browser.wait(for: ChatPage.isConnecting)
                try await alice.browser.click("#open-new")
                try await alice.browser.wait(
                    for:
                        "document.querySelector('dialog .dialog-body > .error').innerText === 'No connection to the server.'"
                )
                #expect(
                    try await alice.browser.run(
                        "return document.querySelector('dialog').innerText.includes('No rooms to join')") == false)
            }
        }

        @Test("nothing is cut off on a screen of 320 pixels")
        func narrow() async throws {
            try await withGarden(.narrow) { _, alice, bob in
                try await bob.say("Hello, this is a message of more than a line, for a narrow screen")
                try await alice.say("And this is the answer, which has more than a line as well")
                let outside =
                    "[...document.querySelectorAll('body *')].filter((node) => node.checkVisibility() && !node.closest('.hidden')"
                    + " && (node.getBoundingClientRect().right > innerWidth + 1 || node.getBoundingClientRect().left < -1)).length"
                try await alice.browser.wait(for: "\(ChatPage.texts).length === 2")
                #expect(try await alice.browser.run("return \(outside)") == 0)
                try await alice.browser.click("#open-members")
                try await alice.browser.wait(for: "document.querySelectorAll('.member').length === 2")
                #expect(try await alice.browser.run("return \(outside)") == 0)
                try await alice.browser.click("[data-action=close]")
                try await alice.browser.click("#back")
                for button in ["open-search", "open-new", "open-settings"] {
                    try await alice.browser.click("#\(button)")
                    #expect(try await alice.browser.run("return \(outside)") == 0, "\(button)")
                    try await alice.browser.click("[data-action=close]")
                }
            }
        }
    }
}
