import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What others write must not act for the reader or spoil the page, and what is logged out must not stay.
    @Suite struct WebAppSecurityTests {
        @Test("logging out leaves no draft and no message on the device, in every tab, and needs no local storage")
        func logout() async throws {
            try await ChatPage.withPages(.desktop) { _, pages in
                let alice = pages[0]
                try await alice.signUp("alice")
                try await alice.join("Garden")
                try await alice.say("said")
                try await alice.sees(["said"])
                try await alice.browser.type("a secret draft", into: "#text")
                try await alice.browser.wait(
                    for: "Object.keys(localStorage).some((key) => key.startsWith('parley.drafts.'))")
                // The first tab keeps the connection, and learns from the server what the second one does.
                let first = try await alice.browser.openTab(alice.baseURL)
                try await alice.browser.wait(for: ChatPage.isConnected)
                try await alice.logOut()
                try await alice.browser.wait(for: "document.getElementById('login-notice').hidden")
                try await alice.browser.show(tab: first)
                try await alice.browser.wait(for: "!document.getElementById('login').hidden")
                let left = try await eventually {
                    try await alice.browser.runAsync(
                        "return Object.keys(localStorage).length;") == 0
                }
                #expect(left)

                // A page alone, whose own socket the server closes before it answers.
                try await alice.browser.runFilling()
                try await alice.logIn("alice")
                try await alice.open("Garden")
                try await alice.sees(["said"])
                try await alice.logOut()
                #expect(try await alice.browser.run("return location.hash") == "#/")
                #expect(try await alice.browser.run("return document.getElementById('login-notice').textContent") == "")
                #expect(try await alice.browser.scriptErrors() == [])
            }
        }

        @Test("a logout without a connection says why nothing happens, where the user looks")
        func logoutWithoutConnection() async throws {
            try await ChatPage.withPages(.phone) { parley, pages in
                let alice = pages[0]
                try await alice.signUp("alice")
                try await parley.kill()
                try await alice.browser.wait(for: ChatPage.isConnecting)
                try await alice.browser.click("#open-settings")
                try await alice.browser.click("#logout")
                let note = "document.querySelector('dialog .dialog-body > .error')?.textContent"
                try await alice.browser.wait(for: "\(note) === 'No connection to the server.'")
                #expect(try await alice.browser.run("return document.getElementById('app').hidden") == false)
            }
        }

        @Test("no part of a message calls an address of the server in the name of the reader, except for attachments")
        func addresses() async throws {
            try await ChatPage.withPages(.desktop, .phone) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                for page in pages { try await page.join("Garden") }
                for type in ["image/png", "video/mp4", "audio/mpeg"] {
                    for address in ["/auth/logout", "/v1/attachments/../../auth/logout", "/v1/attachments/a?b"] {
                        try await alice.send(
                            text: "look", parts: [["type": .string(type), "url": .string(address), "name": "cat"]])
                    }
                }
                try await alice.send(
                    text: "last",
                    parts: [
                        ["type": "application/zip", "url": "https://files.example/1", "name": "cat\u{202E}gpj.zip"]
                    ])
                try await bob.browser.wait(for: "\(ChatPage.texts).at(-1) === 'last'")
                let all = "document.querySelectorAll('#messages')[0]"
                #expect(try await bob.browser.run("return \(all).querySelectorAll('img, video, audio').length") == 0)
                // A download would call it as well.
                #expect(try await bob.browser.run("return \(all).querySelectorAll('a[download]').length") == 0)
                try await bob.browser.wait(
                    for: "[...\(all).querySelectorAll('.file-text strong')].at(-1).textContent === 'catgpj.zip'")
                try await bob.say("still here")
                try await alice.browser.wait(for: "\(ChatPage.texts).at(-1) === 'still here'")
            }
        }

        @Test("marks above marks, endless words and long names stay within their message, the list and the dialogs")
        func layout() async throws {
            try await ChatPage.withPages(.phone, .desktop) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp(String(repeating: "b", count: 150))
                let title = String(repeating: "W", count: 64)
                for page in pages { try await page.join(title) }
                let texts = [
                    String(repeating: "\u{E49}", count: 2000), "A" + String(repeating: "\u{20DD}\u{301}", count: 1000),
                    String(repeating: "w", count: 4096), "`" + String(repeating: "c", count: 3000) + "`",
                    String(repeating: "\u{202E}\u{200B}x", count: 900), "last",
                ]
                for page in pages {
                    for text in texts { try await bob.send(text: text) }
                    try await page.browser.wait(for: "\(ChatPage.texts).at(-1) === 'last'")
                    // From the newest message to the notice that somebody with a long name has joined.
                    let wide = try await page.browser.runAsync(
                        """
                        const scroller = document.getElementById('scroller');
                        const frame = () => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
                        let most = 0;
                        for (let top = scroller.scrollHeight; top > 0; top -= 300) {
                            scroller.scrollTop = top;
                            await frame();
                            most = Math.max(most, scroller.scrollWidth - scroller.clientWidth);
                        }
                        return most;
                        """)
                    #expect(wide == 0)
                    try await page.browser.click("#open-members")
                    try await page.browser.wait(for: "document.querySelectorAll('.member').length === 2")
                    #expect(
                        try await page.browser.run(
                            "const body = document.querySelector('.dialog-body'); return body.scrollWidth - body.clientWidth"
                        )
                            == 0)
                    try await page.browser.click("dialog [data-action=close]")
                    #expect(
                        try await page.browser.run(
                            "const field = document.getElementById('text'); return field.scrollHeight - field.clientHeight"
                        ) == 0)
                }
            }
        }

        @Test("on a screen as small as at 400 %, what is written leaves room for the button that sends it")
        func smallScreen() async throws {
            try await ChatPage.withPages(.desktop) { _, pages in
                let alice = pages[0]
                try await alice.signUp("alice")
                let small: JSONValue = ["width": 320, "height": 256, "deviceScaleFactor": 1, "mobile": false]
                try await alice.browser.execute("Emulation.setDeviceMetricsOverride", small)
                try await alice.join("Garden")
                try await alice.browser.type(
                    String(repeating: "line\u{E008}\u{E007}\u{E008}", count: 12), into: "#text")
                try await alice.browser.wait(for: "document.getElementById('text').value.split('\\n').length === 13")
                #expect(
                    try await alice.browser.run(
                        "return document.getElementById('send').getBoundingClientRect().bottom <= innerHeight") == true)
            }
        }
    }
}

extension Browser {
    /// Takes all of the local storage.
    fileprivate func runFilling() async throws {
        _ = try await runAsync(
            """
            for (let [text, count] = ['x'.repeat(1 << 20), 0]; text.length > 0;) {
                try {
                    localStorage.setItem(`${count += 1}`, text);
                } catch {
                    text = text.slice(0, text.length >> 1);
                }
            }
            """)
    }
}
