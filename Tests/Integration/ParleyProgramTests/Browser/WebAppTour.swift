import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

/// A walk through everything that the web client shows, in one browser.
struct WebAppTour {
    let page: ChatPage
    let parley: ParleyProcess
    /// Called on each screen, with its name.
    let visit: (String) async throws -> Void

    private var browser: Browser { page.browser }

    /// All screens of one user, from the login to a server that is gone.
    func all() async throws {
        try await entrance()
        let bob = try await TestUser.signUp("bob", port: parley.port)
        let carl = try await TestUser.signUp("carl", port: parley.port)
        // Dora never writes.
        let dora = try await TestUser.signUp("dora", port: parley.port)
        for user in [bob, carl, dora] { _ = try await user.join("Garden") }
        _ = try await carl.join("A room with a title that is much too long for a phone")
        try await page.signUp("alice")
        try await visit("empty inbox")
        try await newConversation()
        let garden = try await bob.join("Garden")
        try await about(garden, bob)
        try await conversation(garden, bob, carl)
        try await files()
        try await roomSettings()
        try await dialogs()
        try await direct()
        try await troubles()
    }

    // MARK: Screens

    private func entrance() async throws {
        try await visit("login")
        try await browser.type("alice", into: "#username")
        try await browser.type("wrong horse", into: "#password")
        try await browser.click("#login-submit")
        try await browser.wait(for: "document.getElementById('login-error').checkVisibility()")
        try await visit("login refused")
        try await browser.click("#login-switch")
        try await visit("sign-up")
    }

    private func newConversation() async throws {
        try await browser.click("#open-new")
        try await browser.wait(for: "document.querySelectorAll('#new-rooms .choice').length === 2")
        try await visit("rooms to join")
        try await browser.type("Gardn", into: "#room-title")
        try await browser.click("#room-create")
        try await browser.wait(for: "document.querySelector('dialog .warning').checkVisibility()")
        try await visit("a similar title")
        try await browser.click("#tab-people")
        try await browser.type("b", into: "#person-name")
        try await browser.wait(for: "document.querySelector('#new-people .choice')")
        try await visit("people")
        try await browser.click("[data-action=close]")
        try await page.join("Garden")
        try await visit("empty room")
    }

    /// The texts of a room, as members read them. The user becomes an owner afterwards.
    private func about(_ room: String, _ bob: TestUser) async throws {
        let texts: JSONValue = [
            "topic": "Planting", "description": "All about plants,\nbig and small.", "rules": "Be kind.",
            "rights": ["mention": "moderators"],
        ]
        let changed = try await bob.http.send(
            "PATCH", "/v1/threads/\(room)", headers: [("Content-Type", "application/json")],
            body: Array(texts.text.utf8))
        #expect(changed.status == 200)
        try await browser.click("#open-members")
        try await browser.click("[data-action=open-room]")
        try await browser.wait(for: "document.querySelectorAll('.written').length === 3")
        try await visit("about a room")
        try await page.closeDialogs()
        let owner = try await bob.http.post(
            "/v1/threads/\(room)/members", json: ["user": "name:alice", "role": "owner"])
        #expect(owner.status == 200)
    }

    private func roomSettings() async throws {
        try await page.openRoomSettings()
        try await visit("settings of a room")
        try await browser.clear("#room-name")
        try await browser.click("[data-action=save-room]")
        try await browser.wait(for: "document.activeElement.getAttribute('aria-invalid') === 'true'")
        try await visit("settings of a room, refused")
        _ = try await browser.run("[...document.querySelectorAll('dialog .dialog-body')].at(-1).scrollTo(0, 100_000)")
        try await visit("settings of a room, their end")
        try await page.closeDialogs()
    }

    private func conversation(_ room: String, _ bob: TestUser, _ carl: TestUser) async throws {
        func say(_ text: String, by user: TestUser) async throws {
            let reply = try await user.http.post(
                "/v1/threads/\(room)/messages", json: ["text": .string(text)])
            #expect(reply.status == 201)
        }
        try await say("Hello @alice, **bold**, *italic*, ~~gone~~ and `code`, see https://example.org/path", by: bob)
        try await say("> a quote\n\n- one\n- two\n\n```\nlet x = 1\n```", by: carl)
        try await say(String(repeating: "A long message with many words. ", count: 9), by: bob)
        try await page.say("My answer")
        try await page.say("Deleted soon")
        try await browser.wait(for: "\(ChatPage.texts).length === 5 && \(ChatPage.pending).length === 0")
        try await page.act("quick", on: "My answer")
        try await browser.wait(for: "document.querySelector('.reaction')")
        try await page.act("remove", on: "Deleted soon")
        try await browser.wait(for: "document.querySelector('dialog.question')")
        try await visit("question")
        try await browser.click("[data-action=agree]")
        try await browser.wait(for: "document.querySelector('.text.gone')")
        try await page.act("reply", on: "My answer")
        try await browser.type("A reply", into: "#text")
        try await visit("reply")
        try await browser.click("#send")
        try await browser.wait(for: "document.querySelector('#messages .quote')")
        try await browser.press("\u{E013}")
        try await browser.wait(for: "!document.getElementById('context').hidden")
        try await visit("edit")
        try await browser.press(" edited\u{E007}")
        try await browser.wait(for: "document.querySelector('#messages .edited')")
        try await visit("conversation")
        _ = try await browser.run("document.querySelector('#messages article').focus()")
        try await browser.wait(for: "document.querySelector('.tools')")
        try await visit("actions of a message")
        try await browser.click("#add-emoji")
        try await browser.wait(for: "document.querySelector('.emoji-panel')")
        try await visit("emojis")
        try await browser.press("\u{E00C}")
        try await browser.type("@", into: "#text")
        try await browser.wait(for: "document.getElementById('mentions').innerText.includes('@dora')")
        #expect(try await browser.run("return document.querySelectorAll('#mentions li').length") == 3)
        try await visit("mentions")
        try await browser.press("\u{E00C}")
        try await browser.clear("#text")
    }

    private func files() async throws {
        try await page.give(
            by: "choose", "[await photo(900, 600), new File(['text'], 'notes.txt', { type: 'text/plain' })]")
        try await visit("files to send")
        try await browser.click("#send")
        try await browser.wait(for: "\(ChatPage.pending).length === 0")
        try await browser.wait(
            for: "document.querySelector('#messages .picture-button .picture')?.naturalWidth === 900")
        try await page.give(by: "choose", "[await photo(400, 300), await photo(300, 400), await photo(300, 300)]")
        try await browser.click("#send")
        try await browser.wait(for: "document.querySelectorAll('#messages .tile img').length === 3")
        try await browser.wait(for: "\(ChatPage.pending).length === 0")
        try await visit("files")
        try await browser.click(".tile")
        try await browser.wait(for: "document.querySelector('.viewer img').naturalWidth === 400")
        try await visit("full size")
        try await browser.click("[data-action=close]")
    }

    private func dialogs() async throws {
        try await browser.click("#open-members")
        try await browser.wait(for: "document.querySelectorAll('.member').length === 4")
        try await visit("members")
        try await browser.click("[data-action=close]")
        try await showList()
        try await browser.click("#open-search")
        try await visit("search")
        try await browser.type("mes", into: "#search-text")
        try await browser.wait(for: "document.querySelector('.result mark')")
        try await visit("results")
        try await browser.type("xyz", into: "#search-text")
        try await browser.wait(for: "!document.querySelector('.result')")
        try await visit("no results")
        try await browser.click("[data-action=close]")
        try await browser.click("#open-settings")
        try await browser.wait(for: "document.querySelector('dialog .choices .member')")
        try await browser.type("wrong horse", into: "#old-password")
        try await browser.type("another horse", into: "#new-password")
        _ = try await browser.run("document.getElementById('old-password').form.requestSubmit()")
        try await browser.wait(for: "document.querySelector('dialog form .error')")
        try await visit("settings")
        _ = try await browser.run("document.querySelector('dialog .dialog-body').scrollTo(0, 100_000)")
        try await visit("settings, their end")
        try await browser.click("[data-action=open-notifications]")
        try await browser.click("#notify-quiet")
        try await browser.wait(for: "document.getElementById('notify-from').checkVisibility()")
        try await visit("notifications")
        try await page.closeDialogs()
    }

    private func direct() async throws {
        try await browser.click("#open-new")
        try await browser.click("#tab-people")
        try await browser.type("bob", into: "#person-name")
        try await browser.click("#new-people .choice")
        try await browser.wait(for: "document.getElementById('thread-title').textContent === 'bob'")
        try await page.say("Only for you")
        try await browser.wait(for: "document.getElementById('receipt').checkVisibility()")
        try await browser.wait(for: "document.getElementById('thread-status').textContent !== ''")
        try await visit("direct")
        try await showList()
        try await visit("inbox")
    }

    private func troubles() async throws {
        _ = try await browser.run("location.hash = '#/t/unknown'")
        try await browser.wait(for: "document.getElementById('older').textContent !== ''")
        try await visit("unknown thread")
        try await showList()
        try await page.open("Garden")
        try await parley.kill()
        try await browser.wait(for: "!document.getElementById('banner').hidden")
        try await page.say("Waits")
        try await browser.wait(for: "\(ChatPage.pending).length === 1")
        try await visit("without a server")
        try await showList()
        try await browser.click("#open-search")
        try await browser.type("mes", into: "#search-text")
        try await browser.wait(for: "document.querySelector('dialog .dialog-body > .error').checkVisibility()")
        try await visit("search without a server")
        try await browser.click("[data-action=close]")
    }

    /// On a phone, the list is another page.
    private func showList() async throws {
        if try await browser.run("return document.getElementById('back').checkVisibility()") == true {
            try await browser.click("#back")
        }
        try await browser.wait(for: "document.getElementById('open-search').checkVisibility()")
    }
}
