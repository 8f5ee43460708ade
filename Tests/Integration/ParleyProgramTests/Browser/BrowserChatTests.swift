import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The web client in a real browser, against the real server.
    @Suite struct BrowserChatTests {
        @Test("two people sign up, meet in a room and chat both ways; text is shown as text")
        func chat() async throws {
            try await ChatPage.withPages(.desktop, .phone) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.photograph("login-desktop")
                try await bob.photograph("login-phone")
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                try await alice.join("Deploys")
                try await bob.join("Deploys")
                try await alice.say("Rolling out to the first node.")
                try await bob.sees(["Rolling out to the first node."])
                try await bob.say("p99 is flat so far.")
                let markup = "<img src=x onerror=\"document.title='bad'\"> <b>& not bold</b>"
                try await alice.sees(["Rolling out to the first node.", "p99 is flat so far."])
                try await alice.say(markup)
                let all = ["Rolling out to the first node.", "p99 is flat so far.", markup]
                for page in [alice, bob] {
                    try await page.sees(all)
                    let made = try await page.browser.run(
                        "return document.querySelectorAll('#messages img, #messages b, #threads img').length")
                    #expect(made == 0)
                }
                // Whether each bubble stands at the right edge.
                let sides =
                    "const edge = (node) => node.getBoundingClientRect().right;"
                    + "const list = document.getElementById('messages');"
                    + "return [...list.querySelectorAll('.bubble')].map((each) => edge(list) - edge(each) < 1)"
                #expect(try await alice.browser.run(sides) == [true, false, true])
                #expect(try await bob.browser.run(sides) == [false, true, false])
                try await alice.photograph("chat-desktop")
                try await bob.photograph("chat-phone")
                for page in [alice, bob] {
                    try await page.browser.prefersDark(true)
                    #expect(try await page.browser.scriptErrors() == [])
                }
                try await alice.photograph("chat-desktop-dark")
                try await bob.photograph("chat-phone-dark")
            }
        }

        /// Bob on a page and alice on a socket, in a room.
        private func deploys(
            _ bob: ChatPage, _ parley: ParleyProcess
        ) async throws -> (thread: String, alice: TutorialClient) {
            let alice = try await TestUser.signUp("alice", port: parley.port)
            try await bob.signUp("bob")
            try await bob.join("Deploys")
            return (try await alice.join("Deploys"), try await TutorialClient.start("alice", port: parley.port))
        }

        @Test("badges count what one has not seen, on every device of the user")
        func badges() async throws {
            try await ChatPage.withPages(.desktop, .phone) { parley, pages in
                let (bob, bobsPhone) = (pages[0], pages[1])
                let alice = try await TestUser.signUp("alice", port: parley.port)
                try await bob.signUp("bob")
                try await bob.join("Deploys")
                try await bob.join("Lunch")
                let deploys = try await alice.join("Deploys")
                let lunch = try await alice.join("Lunch")
                try await bobsPhone.logIn("bob")
                try await bobsPhone.waitForBadge("", on: "Deploys")
                let socket = try await TutorialClient.start("alice", port: parley.port)
                for text in ["one", "two", "three"] { try await socket.send(text, to: deploys) }
                try await bobsPhone.waitForBadge("3", on: "Deploys")
                try await bob.waitForBadge("3", on: "Deploys")
                try await bob.browser.wait(for: "document.title === '(3) Lunch – Parley'")
                try await bobsPhone.photograph("inbox-phone")
                try await bob.photograph("inbox-desktop")

                // In the open thread a message is read as it comes, here and for the server.
                try await socket.send("noon?", to: lunch)
                try await bob.sees(["noon?"])
                try await bob.waitForBadge("", on: "Lunch")
                let bobInREST = try await TestUser.logIn("bob", password: ChatPage.password, port: parley.port)
                let isRead = try await eventually { try await bobInREST.unread(in: lunch) == 0 }
                #expect(isRead)
                #expect(try await bobInREST.unread(in: deploys) == 3)

                try await bob.browser.click("#threads a[href='#/t/\(deploys)']")
                try await bob.sees(["one", "two", "three"])
                try await bob.browser.wait(for: "document.title === 'Deploys – Parley'")
                try await bob.waitForBadge("", on: "Deploys")
                // So does the phone, at once.
                try await bobsPhone.waitForBadge("", on: "Deploys")
                try await bobsPhone.waitForBadge("", on: "Lunch")
            }
        }

        @Test("a thread opens at its first unread message if they fill more than a screen, however many there are")
        func unread() async throws {
            try await ChatPage.withPages(.phone, environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"]) {
                parley, pages in
                let bob = pages[0]
                let (thread, socket) = try await deploys(bob, parley)
                try await bob.browser.click("#back")
                let top =
                    "document.querySelector('#messages .new')?.getBoundingClientRect().top"
                    + " - document.getElementById('scroller').getBoundingClientRect().top"
                // More than a page of history the second time.
                for count in [30, 300] {
                    for number in 1...count { try await socket.send("message \(number) of \(count)", to: thread) }
                    let badge = count > 99 ? "99+" : "\(count)"
                    try await bob.waitForBadge(badge, on: "Deploys")
                    try await bob.open("Deploys")
                    try await bob.browser.wait(for: "Math.abs(\(top) - 12) < 2")
                    try await bob.browser.wait(for: "\(ChatPage.texts).includes('message 1 of \(count)')")
                    // Those on the screen are read, the others are new.
                    let left = "parseInt(document.getElementById('jump').innerText)"
                    try await bob.browser.wait(for: "\(left) > \(count - 25) && \(left) < \(count)")
                    // They are read at the end.
                    try await bob.browser.click("#jump")
                    try await bob.browser.wait(for: "\(ChatPage.texts).at(-1) === 'message \(count) of \(count)'")
                    try await bob.waitForBadge("", on: "Deploys")
                    try await bob.browser.click("#back")
                }
                for text in ["one", "two"] { try await socket.send(text, to: thread) }
                try await bob.waitForBadge("2", on: "Deploys")
                try await bob.open("Deploys")
                try await bob.browser.wait(for: "\(ChatPage.texts).at(-1) === 'two'")
                try await bob.waitForBadge("", on: "Deploys")
                #expect(try await bob.browser.scriptErrors() == [])
            }
        }

        @Test("a reload keeps the login, the thread and the history; older messages come on scrolling up")
        func reloadAndScroll() async throws {
            try await ChatPage.withPages(.phone, environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"]) {
                parley, pages in
                let bob = pages[0]
                let (thread, socket) = try await deploys(bob, parley)
                let texts = (1...400).map { "message \($0)" }
                for text in texts { try await socket.send(text, to: thread) }
                try await bob.browser.wait(for: "\(ChatPage.texts).at(-1) === 'message 400'")
                let bobInREST = try await TestUser.logIn("bob", password: ChatPage.password, port: parley.port)
                let isRead = try await eventually { try await bobInREST.unread(in: thread) == 0 }
                #expect(isRead)
                // Another device has nothing of it yet, so it loads a page at a time.
                try await bob.forgetKept()
                try await bob.browser.reload()
                try await bob.browser.wait(for: "\(ChatPage.texts).at(-1) === 'message 400'")
                let atEnd =
                    "[document.getElementById('scroller')].every((s) => "
                    + "s.scrollHeight - s.scrollTop - s.clientHeight < 2)"
                try await bob.browser.wait(for: atEnd)
                let size = "Number(document.querySelector('#messages article').getAttribute('aria-setsize'))"
                #expect(try await bob.browser.run("return \(size) < 400 && \(ChatPage.texts).length < 60") == true)
                // The row at the upper edge stays where it is while others come in above it.
                let row =
                    "[...document.querySelectorAll('#messages .message')].find((each) => "
                    + "each.getBoundingClientRect().top >= document.getElementById('scroller').getBoundingClientRect().top)"
                _ = try await bob.browser.runAsync(
                    """
                    document.getElementById('scroller').scrollTop = 1190;
                    // The rows of that place are shown in the frame after the one that scrolls.
                    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
                    window.key = \(row).dataset.key;
                    window.edge = \(row).getBoundingClientRect().top;
                    """)
                try await bob.browser.wait(for: "\(size) >= 250")
                let hasStayed = try await bob.browser.run(
                    """
                    const row = document.querySelector(`[data-key="${window.key}"]`);
                    return Math.abs(row.getBoundingClientRect().top - window.edge) < 2
                    """)
                #expect(hasStayed == true)
                try await bob.browser.wait(
                    for: "(document.getElementById('scroller').scrollTop = 0, \(ChatPage.texts)[0] === 'message 1')")

                // What comes in while reading above does not move the page, and is not read.
                try await socket.send("news", to: thread)
                try await bob.browser.wait(for: "document.getElementById('jump').innerText.trim() === '1 new'")
                try await bob.browser.click("#jump")
                try await bob.browser.wait(for: "\(ChatPage.texts).at(-1) === 'news'")
                try await bob.browser.wait(for: "document.getElementById('jump').hidden")
                try await bob.waitForBadge("", on: "Deploys")
                #expect(try await bob.browser.scriptErrors() == [])
            }
        }

        @Test("killed and started again, the server is found again, and what was missed is there once")
        func restart() async throws {
            try await ChatPage.withPages(.desktop, .phone) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                try await alice.join("Deploys")
                try await bob.join("Deploys")
                try await alice.say("before")
                for page in pages { try await page.sees(["before"]) }
                let carol = try await TestUser.signUp("carol", port: parley.port)
                let thread = try await carol.join("Deploys")

                try await parley.kill()
                for page in pages { try await page.browser.wait(for: ChatPage.isConnecting) }
                for page in pages {
                    try await page.browser.wait(
                        for: "getComputedStyle(document.getElementById('banner')).opacity === '1'")
                }
                try await alice.photograph("connecting-desktop")
                try await bob.photograph("connecting-phone")
                try await alice.say("typed meanwhile")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 1")
                try await alice.browser.wait(
                    for: "document.getElementById('banner').innerText.includes('1 message not sent yet')")

                try await parley.restart()
                let socket = try await TutorialClient.start("carol", port: parley.port)
                try await socket.send("missed", to: thread)
                for page in pages { try await page.browser.wait(for: ChatPage.isConnected, within: .seconds(60)) }
                for page in pages { try await page.browser.wait(for: "\(ChatPage.texts).length === 3") }
                let history = try await carol.history(of: thread).reversed().compactMap { $0["text"]?.string }
                #expect(Set(history) == ["before", "missed", "typed meanwhile"] && history.count == 3)
                for page in pages { try await page.sees(history) }
                // Nothing comes twice later either: the client looks again after 3 s.
                try await socket.send("after", to: thread)
                try await alice.say("and after")
                for page in pages {
                    try await page.browser.wait(for: "\(ChatPage.texts).length === 5")
                    #expect(try await page.browser.scriptErrors() == [])
                }
            }
        }

        @Test("refusals are explained, and not in the words for developers; logging out ends every tab of the session")
        func refusalsAndLogout() async throws {
            try await ChatPage.withPages(.desktop) { parley, pages in
                let page = pages[0]
                let browser = page.browser
                try await browser.click("#login-switch")
                try await browser.type("alice", into: "#username")
                try await browser.type("short", into: "#password")
                try await browser.click("#login-submit")
                try await browser.wait(for: "!document.getElementById('login-error').hidden")
                let shown = try await browser.run("return document.getElementById('login-error').textContent")
                #expect(shown.string?.hasSuffix("and a password at least 8 characters.") == true)

                try await page.signUp("alice")
                try await page.join("Deploys")
                // Somebody else's thread, by its address.
                let bob = try await TestUser.signUp("bob", port: parley.port)
                let foreign = try await bob.join("Private")
                try await browser.open(page.baseURL + "/#/t/\(foreign)")
                let edge = "document.getElementById('older').textContent"
                try await browser.wait(
                    for:
                        "['You are not a member of this conversation.', 'This does not exist, or no longer.'].includes(\(edge))"
                )
                #expect(try await browser.run("return document.getElementById('composer').hidden") == true)

                // The same session elsewhere logs out: the socket closes with 4001, and this page asks to log in.
                let out = try await browser.runAsync("return (await fetch('/auth/logout', { method: 'POST' })).status")
                #expect(out == 200)
                try await browser.wait(for: "!document.getElementById('login').hidden")
                #expect(try await browser.run("return document.getElementById('threads').children.length") == 0)
                try await page.logIn("alice")
                try await browser.click("#open-settings")
                try await browser.click("#logout")
                try await browser.wait(for: "!document.getElementById('login').hidden")
                try await browser.reload()
                try await browser.wait(for: "!document.getElementById('login').hidden")
            }
        }
    }
}
