import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What the web client does without a connection, on several devices, and in several tabs.
    @Suite struct WebAppTests {
        @Test("without a server the app opens with what it had and takes messages; they are sent once, in order")
        func offline() async throws {
            try await ChatPage.withPages(.phone) { parley, pages in
                let alice = pages[0]
                try await alice.enterGarden(saying: "before")
                try await parley.kill()
                try await alice.browser.wait(for: ChatPage.isConnecting)
                try await alice.say("offline 1")
                try await alice.browser.reload()
                try await alice.browser.wait(for: "\(ChatPage.texts).join() === 'before'")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 1")
                try await alice.say("offline 2")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 2")
                try await alice.photograph("offline-phone")
                // The page ends before the server is back.
                try await alice.browser.open("about:blank")
                try await parley.restart()
                try await alice.browser.open(alice.baseURL)
                try await alice.open("Garden")
                try await alice.sees(["before", "offline 1", "offline 2"])
                let inREST = try await TestUser.logIn("alice", password: ChatPage.password, port: parley.port)
                let thread = try #require(try await inREST.inbox().first?["id"]?.string)
                let history = try await inREST.history(of: thread).reversed().compactMap { $0["text"]?.string }
                #expect(history == ["before", "offline 1", "offline 2"])
                #expect(try await alice.browser.scriptErrors() == [])
            }
        }

        @Test("two tabs share one connection; when the one that has it is closed, the other takes over")
        func tabs() async throws {
            try await ChatPage.withPages(.desktop, .phone) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await alice.join("Garden")
                let sockets = try await parley.openedSockets()
                let first = try await alice.browser.openTab(alice.baseURL)
                try await alice.browser.wait(for: ChatPage.isConnected)
                try await alice.open("Garden")
                try await alice.say("from the second tab")
                try await alice.sees(["from the second tab"])
                #expect(try await parley.openedSockets() == sockets)
                try await bob.signUp("bob")
                try await bob.join("Garden")
                try await bob.sees(["from the second tab"])
                // The first tab shows it too, without a socket of its own; then it is closed.
                let second = try await alice.browser.openTab("about:blank")
                try await alice.browser.show(tab: first)
                try await alice.sees(["from the second tab"])
                try await alice.browser.closeTab(thenShow: second)
                try await alice.say("the second leads")
                for page in [alice, bob] { try await page.sees(["from the second tab", "the second leads"]) }
                try await bob.say("heard")
                try await alice.sees(["from the second tab", "the second leads", "heard"])
            }
        }

        @Test("edits, deletions, reactions, replies and receipts are shown on every device at once")
        func devices() async throws {
            try await ChatPage.withPages(.desktop, .phone) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await ChatPage.signUp(alice, bob)
                try await bob.join("Garden")
                try await alice.say("frist")
                try await alice.act("edit", on: "frist")
                try await alice.browser.clear("#text")
                try await alice.say("first")
                for page in [alice, bob] {
                    try await page.sees(["first"])
                    try await page.browser.wait(for: "document.querySelector('.edited').textContent === '(edited)'")
                }
                try await bob.act("reply", on: "first")
                try await bob.say("I agree, **@alice**")
                try await alice.browser.wait(for: "document.querySelector('.quote')?.textContent === 'Youfirst'")
                try await alice.browser.wait(for: "document.querySelector('strong .mention.mine')")
                try await alice.act("quick", on: "I agree, @alice")
                try await bob.browser.click(".reaction")
                try await alice.browser.wait(for: "document.querySelector('.reaction').textContent === '👍2'")
                try await alice.photograph("devices-desktop")
                try await alice.say("wrong room")
                try await alice.browser.wait(for: "document.getElementById('receipt').textContent.startsWith('Read ')")
                try await alice.act("remove", on: "wrong room")
                try await alice.browser.click("[data-action=agree]")
                let all = ["first", "I agree, @alice", "Message deleted"]
                for page in [alice, bob] {
                    try await page.sees(all)
                    try await page.browser.reload()
                    try await page.sees(all)
                    #expect(try await page.browser.scriptErrors() == [])
                }
            }
        }

        @Test("a room that was left on one device closes on the others, and its messages are gone there")
        func leaving() async throws {
            try await ChatPage.withPages(.desktop, .phone) { _, pages in
                let (desktop, phone) = (pages[0], pages[1])
                try await desktop.enterGarden(saying: "before")
                try await phone.logIn("alice")
                try await phone.open("Garden")
                try await phone.sees(["before"])
                try await phone.waitUntilKept("before")
                try await desktop.browser.click("#open-members")
                try await desktop.browser.click(".dialog-actions .danger")
                try await desktop.browser.click("[data-action=agree]")
                try await desktop.browser.wait(for: "location.hash === '#/'")
                try await phone.browser.wait(for: "document.getElementById('composer').hidden")
                try await phone.browser.wait(
                    for: "document.getElementById('older').textContent.includes('not a member')")
                #expect(try await phone.shownTexts() == [])
            }
        }

        @Test("a private room is found by nobody, shown to users who are added, and opened by its owner")
        func privateRoom() async throws {
            try await ChatPage.withPages(.desktop, .phone) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                try await alice.join("Den", visibility: "private")
                try await alice.say("a secret")
                try await alice.sees(["a secret"])
                #expect(try await alice.browser.run("return document.querySelector('.sign').hidden") == false)
                try await bob.browser.click("#open-new")
                try await bob.browser.wait(for: "document.querySelector('#new-rooms .hint')")
                try await bob.browser.type("Den", into: "#room-title")
                try await bob.browser.wait(for: "document.getElementById('room-create').textContent.includes('Den')")
                #expect(try await bob.browser.run("return document.querySelectorAll('#new-rooms .choice').length") == 0)
                _ = try await bob.browser.run("document.querySelector('dialog').close()")
                try await alice.browser.click("#open-members")
                try await alice.browser.type("bob\u{E007}", into: "#invite-name")
                try await bob.open("Den")
                try await bob.sees(["a secret"])
                try await alice.openRoomSettings()
                try await alice.select("public")
                try await alice.saveRoom()
                for page in [alice, bob] {
                    try await page.browser.wait(
                        for: "document.getElementById('messages').textContent.includes('The room is public now')")
                    try await page.browser.wait(for: "document.querySelector('.sign').hidden")
                    #expect(try await page.browser.scriptErrors() == [])
                }
            }
        }

        @Test("a waiting edit is what the next edit begins with, and a message that is to be deleted is not edited")
        func editsWithoutConnection() async throws {
            try await ChatPage.withPages(.phone) { parley, pages in
                let alice = pages[0]
                try await alice.enterGarden(saying: "first")
                try await alice.say("second")
                try await alice.sees(["first", "second"])
                try await parley.kill()
                try await alice.browser.wait(for: ChatPage.isConnecting)
                try await alice.act("remove", on: "second")
                try await alice.browser.click("[data-action=agree]")
                try await alice.sees(["first", "Message deleted"])
                let up = "\u{E013}"
                try await alice.browser.type(up, into: "#text")
                try await alice.browser.wait(for: "document.getElementById('text').value === 'first'")
                try await alice.say("!")
                try await alice.sees(["first!", "Message deleted"])
                try await alice.browser.type(up, into: "#text")
                try await alice.browser.wait(for: "document.getElementById('text').value === 'first!'")
                // Back to what it was: this is a change too.
                try await alice.browser.clear("#text")
                try await alice.say("first")
                try await parley.restart()
                try await alice.browser.wait(for: ChatPage.isConnected, within: .seconds(60))
                try await alice.sees(["first", "Message deleted"])
                try await alice.browser.wait(for: "document.querySelector('.edited')")
            }
        }

        @Test("a room is found among those to join, and a title that looks alike is asked about; direct chats by name")
        func rooms() async throws {
            try await ChatPage.withPages(.desktop, .phone) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await ChatPage.signUp(alice, bob)
                try await bob.browser.click("#open-new")
                try await bob.browser.wait(for: "document.querySelector('.choice-name')?.textContent === 'Garden'")
                try await bob.browser.type("garden", into: "#room-title")
                try await bob.browser.click("#room-create")
                try await bob.browser.wait(for: "document.querySelector('.warning').innerText.includes('“Garden”')")
                try await bob.photograph("look-alike-phone")
                try await bob.browser.click(".look-alike")
                try await bob.browser.wait(for: "document.getElementById('thread-title').textContent === 'Garden'")
                try await alice.browser.click("#open-members")
                try await alice.browser.wait(for: "document.querySelectorAll('.member').length === 2")
                try await alice.photograph("members-desktop")
                try await alice.browser.click("dialog [data-action=close]")
                try await alice.browser.click("#open-new")
                try await alice.browser.click("#tab-people")
                try await alice.browser.type("bo", into: "#person-name")
                try await alice.browser.click("#new-people .choice")
                try await alice.browser.wait(for: "document.getElementById('thread-title').textContent === 'bob'")
                try await alice.browser.wait(for: "document.getElementById('thread-status').textContent === 'online'")
                try await alice.say("hi")
                try await bob.browser.click("#back")
                try await bob.waitForBadge("1", on: "alice")
                // Found again, and shown.
                try await alice.browser.click("#open-search")
                try await alice.browser.type("hi", into: "#search-text")
                try await alice.browser.click(".result")
                try await alice.browser.wait(for: "document.activeElement.matches('#messages article')")
            }
        }

        @Test("over a slow network the kept conversation is shown at once, and a message is delivered")
        func slowNetwork() async throws {
            try await ChatPage.withPages(.phone) { parley, pages in
                let alice = pages[0]
                try await alice.enterGarden(saying: "before")
                try await alice.browser.execute("Network.enable", [:])
                try await alice.browser.execute(
                    "Network.emulateNetworkConditions",
                    ["offline": false, "latency": 12_000, "downloadThroughput": 20_000, "uploadThroughput": 20_000])
                let begin = ContinuousClock.now
                try await alice.browser.reload()
                try await alice.browser.wait(for: "\(ChatPage.texts).join() === 'before'")
                // Before anything can have come from the server.
                #expect(ContinuousClock.now - begin < .seconds(12))
                try await alice.say("patience")
                try await alice.sees(["before", "patience"], within: .seconds(150))
            }
        }
    }
}

extension ChatPage {
    /// Signs up as Alice, says something in the room Garden, and waits until it is kept on this device.
    fileprivate func enterGarden(saying text: String) async throws {
        try await signUp("alice")
        try await join("Garden")
        try await say(text)
        try await sees([text])
        try await waitUntilKept(text)
    }

    /// Signs Alice and Bob up; Alice creates the room Garden.
    fileprivate static func signUp(_ alice: ChatPage, _ bob: ChatPage) async throws {
        try await alice.signUp("alice")
        try await bob.signUp("bob")
        try await alice.join("Garden")
    }
}
