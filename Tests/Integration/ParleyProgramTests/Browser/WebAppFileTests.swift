import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Photos and files in the web client.
    @Suite struct WebAppFileTests {
        @Test("photos and files are chosen, dropped and pasted, and others see them")
        func kinds() async throws {
            try await ChatPage.withPages(.desktop, .phone) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await ChatPage.enterGarden(alice, bob)
                // A large photo is scaled down.
                try await alice.give(by: "choose", "[await photo(3600, 2400)]")
                try await alice.browser.wait(for: "document.querySelectorAll('#tray li').length === 1")
                try await alice.photograph("tray-desktop")
                try await alice.browser.type("The tower", into: "#text")
                try await alice.browser.click("#send")
                for page in pages {
                    try await page.browser.wait(for: "\(ChatPage.picture)?.naturalWidth === 2560")
                    try await page.sees(["The tower"])
                }
                // Its place is reserved, in its shape.
                let box = try await bob.browser.run("return [\(ChatPage.picture).width, \(ChatPage.picture).height]")
                let (width, height) = (try #require(box.array?.first?.int), try #require(box.array?.last?.int))
                #expect(abs(width * 2 - height * 3) <= 3, "\(box)")

                try await alice.give(by: "drop", "[new File(['some text'], 'notes.txt', { type: 'text/plain' })]")
                try await alice.give(by: "paste", "[await photo(300, 200, 'image/png'), await photo(200, 300)]")
                try await alice.browser.wait(for: "document.querySelectorAll('#tray li').length === 3")
                try await alice.browser.click("#tray li:last-child button")
                try await alice.give(by: "choose", "[await photo(100, 100)]")
                try await alice.browser.wait(for: "document.querySelectorAll('#tray li').length === 3")
                try await alice.browser.click("#send")
                for page in pages {
                    try await page.browser.wait(for: "document.querySelectorAll('.tile img').length === 2")
                    try await page.browser.wait(for: "\(ChatPage.pending).length === 0")
                }
                try await bob.browser.wait(for: "document.querySelector('a.card-part').innerText.includes('notes.txt')")
                let text = "return (await fetch(document.querySelector('a.card-part').href)).text()"
                #expect(try await bob.browser.runAsync(text) == "some text")
                try await alice.photograph("files-desktop")
                try await bob.photograph("files-phone")

                // In full size, with the keyboard.
                try await alice.browser.click(".tile")
                try await alice.browser.wait(for: "document.querySelector('.viewer img').naturalWidth === 300")
                try await alice.browser.press("\u{E014}")
                try await alice.browser.wait(for: "document.querySelector('.viewer img').naturalWidth === 100")
                try await alice.browser.press("\u{E00C}")
                try await alice.browser.wait(for: "!document.querySelector('dialog')")
                try await alice.browser.wait(for: "document.activeElement.matches('.tile')")
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }

        @Test("pictures are shown without a server, and leave the device with the user")
        func withoutServer() async throws {
            try await ChatPage.withPages(.desktop) { parley, pages in
                let alice = pages[0]
                try await alice.signUp("alice")
                try await alice.join("Garden")
                try await alice.give(by: "choose", "[await photo(900, 600)]")
                try await alice.browser.click("#send")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 0")
                try await alice.browser.wait(for: "navigator.serviceWorker.controller")
                let kept =
                    "const all = await Promise.all((await caches.keys()).filter((each) => each.startsWith('parley-pictures-'))"
                    + ".map(async (each) => (await (await caches.open(each)).keys()).map(({ url }) => url)));"
                    + "return all.flat().filter((url) => url.includes('/v1/attachments/')).length"
                // The picture is in the cache before the test changes the cache, so that the page does not add it meanwhile.
                try await alice.seesPictureOfServer()
                // More than the cache has room for, from other conversations.
                _ = try await alice.browser.runAsync(
                    """
                    const name = (await caches.keys()).find((each) => each.startsWith('parley-pictures-'));
                    const cache = await caches.open(name);
                    for (const each of await cache.keys()) if (each.url.includes('/v1/attachments/')) await cache.delete(each, { ignoreVary: true });
                    for (let index = 0; index < 300; index += 1) await cache.put(`/v1/attachments/old${index}`, new Response(''));
                    """)
                try await alice.seesPictureOfServer()
                #expect(try await eventually { try await alice.browser.runAsync("\(kept) - 300") == 0 })

                try await parley.kill()
                try await alice.browser.reload()
                try await alice.browser.wait(for: ChatPage.isConnecting)
                try await alice.browser.wait(for: "\(ChatPage.picture)?.naturalWidth === 900")
                try await alice.browser.click("#messages .picture-button")
                try await alice.browser.wait(for: "document.querySelector('.viewer img').naturalWidth === 900")
                try await alice.browser.click("[data-action=close]")

                try await parley.restart()
                try await alice.browser.wait(for: ChatPage.isConnected)
                try await alice.logOut()
                #expect(try await eventually { try await alice.browser.runAsync(kept) == 0 })
                #expect(try await alice.browser.scriptErrors() == [])
            }
        }

        @Test("unchanged, a picture is a file with every byte; otherwise what the camera wrote into it is gone")
        func originals() async throws {
            try await ChatPage.withPages(.desktop) { _, pages in
                let alice = pages[0]
                try await alice.signUp("alice")
                try await alice.join("Garden")
                let tagged = """
                    [await (async () => {
                        const bytes = new Uint8Array(await (await photo(320, 200)).arrayBuffer());
                        const place = new TextEncoder().encode('Exif\\0\\0my garden');
                        const exif = [0xff, 0xe1, 0, place.length + 2, ...place];
                        return new File([bytes.slice(0, 2), new Uint8Array(exif), bytes.slice(2)], 'p.jpg', { type: 'image/jpeg' });
                    })()]
                    """
                let has = """
                    const found = [];
                    for (const { url } of [...document.querySelectorAll('#messages .picture')].map((each) => ({ url: each.src }))
                        .concat([...document.querySelectorAll('a.card-part')].map((each) => ({ url: each.href })))) {
                        found.push((await (await fetch(url)).text()).includes('my garden'));
                    }
                    return found;
                    """
                try await alice.give(by: "choose", tagged)
                try await alice.browser.click("#send")
                try await alice.browser.wait(for: "\(ChatPage.picture)?.naturalWidth === 320")
                try await alice.give(by: "choose", tagged)
                try await alice.browser.click("#as-files")
                try await alice.browser.click("#send")
                try await alice.browser.wait(for: "document.querySelector('#messages [data-kind=message] a.card-part')")
                #expect(try await alice.browser.runAsync(has) == [false, true])
            }
        }

        @Test("a photo that is sent without a server arrives once, in its order, when the server is back")
        func offline() async throws {
            try await ChatPage.withPages(.phone, .desktop) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await ChatPage.enterGarden(alice, bob)
                try await alice.browser.wait(for: "navigator.serviceWorker.controller")
                try await parley.kill()
                try await alice.browser.wait(for: ChatPage.isConnecting)
                try await alice.say("first")
                try await alice.give(by: "choose", "[await photo(800, 600)]")
                try await alice.browser.click("#send")
                try await alice.say("last")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 3")
                // It is kept on the device, and shown from there.
                try await alice.browser.reload()
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 3")
                try await alice.browser.wait(
                    for: "document.querySelector('[data-kind=pending] .picture')?.naturalWidth === 800")
                try await alice.photograph("files-offline-phone")
                try await parley.restart()
                let order =
                    "[...document.querySelectorAll('#messages [data-kind=message]')]"
                    + ".map((each) => each.querySelector('.picture') ? 'photo' : each.querySelector('.text').textContent).join()"
                for page in [bob, alice] {
                    try await page.browser.wait(for: "\(order) === 'first,photo,last'", within: .seconds(60))
                    try await page.browser.wait(for: "\(ChatPage.picture).naturalWidth === 800")
                }
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 0")
                #expect(try await alice.waitingFiles() == 0)
                #expect(try await alice.uploaded() == 1)
            }
        }

        @Test(
            "an upload shows how far it is, continues after a reload, in another tab and after a kill, and holds up messages only"
        )
        func continues() async throws {
            try await ChatPage.withPages(.desktop, .phone) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await ChatPage.enterGarden(alice, bob)
                try await alice.slowUploads(to: 1_200_000)
                try await alice.give(
                    by: "choose", "[new File([new Uint8Array(20_000_000)], 'big.zip', { type: 'application/zip' })]")
                try await alice.browser.click("#send")
                try await alice.browser.wait(
                    for: "document.querySelector('progress')?.value > 0.3", within: .seconds(60))
                try await alice.photograph("upload-desktop")
                try await alice.browser.wait(
                    for: "document.getElementById('announcer').textContent.startsWith('Uploading, ')")
                try await alice.say("after the file")
                try await bob.say("meanwhile")
                try await alice.browser.wait(for: "\(ChatPage.texts).join() === 'meanwhile'")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 2")
                try await alice.browser.reload()
                try await alice.browser.wait(for: "document.querySelector('progress')?.value > 0", within: .seconds(30))
                // From the beginning it would be a few percent.
                #expect(try await alice.browser.run("return document.querySelector('progress').value > 0.2") == true)
                // So it does in another tab, when the one that uploads is closed.
                let first = try await alice.browser.openTab(alice.baseURL)
                try await alice.slowUploads(to: 1_200_000)
                try await alice.open("Garden")
                try await alice.browser.wait(for: "document.querySelector('progress')")
                let second = try await alice.browser.openTab("about:blank")
                try await alice.browser.show(tab: first)
                try await alice.browser.closeTab(thenShow: second)
                try await alice.browser.wait(for: "document.querySelector('progress')?.value > 0.2")
                // And when the server was killed.
                try await parley.kill()
                try await alice.browser.wait(
                    for: "!document.querySelector('progress') && \(ChatPage.pending).length === 2")
                try await parley.restart()
                try await alice.slowUploads(to: -1)
                for page in [bob, alice] {
                    try await page.browser.wait(
                        for: "\(ChatPage.texts).join() === 'meanwhile,after the file'", within: .seconds(60))
                    try await page.browser.wait(for: "\(ChatPage.pending).length === 0")
                }
                let size =
                    "return (await (await fetch(document.querySelector('a.card-part').href)).arrayBuffer()).byteLength"
                #expect(try await bob.browser.runAsync(size) == 20_000_000)
                #expect(try await alice.uploaded() == 1)
            }
        }

        @Test("an upload can be cancelled; what is too large, or more than the server keeps, is said in words")
        func refusals() async throws {
            let limits = ["PARLEY_ATTACHMENTS_FILE_BYTES": "9000000", "PARLEY_ATTACHMENTS_USER_FILES": "2"]
            try await ChatPage.withPages(.phone, environment: limits) { _, pages in
                let alice = pages[0]
                try await alice.signUp("alice")
                try await alice.join("Garden")
                try await alice.give(by: "drop", "[new File([new Uint8Array(9_000_001)], 'huge.bin')]")
                let hint = "document.getElementById('composer-hint').textContent"
                try await alice.browser.wait(for: "\(hint).startsWith('“huge.bin” is too large: it has 9 MB')")
                #expect(try await alice.browser.run("return document.getElementById('tray').hidden") == true)
                try await alice.slowUploads(to: 1_000_000)
                try await alice.give(by: "choose", "[new File([new Uint8Array(9_000_000)], 'large.bin')]")
                try await alice.browser.click("#send")
                try await alice.browser.wait(
                    for: "document.querySelector('progress')?.value > 0.1", within: .seconds(60))
                try await alice.browser.click("[data-action=discard]")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 0")
                try await alice.slowUploads(to: -1)
                #expect(try await eventually { try await alice.uploaded() == 0 })

                // The third one is refused; discarded, all are gone.
                try await alice.give(by: "choose", "['1', '2', '3'].map((each) => new File([each], each))")
                try await alice.browser.click("#send")
                try await alice.browser.wait(
                    for:
                        "document.querySelector('[data-status=failed]')?.innerText.includes('Your files fill the space')"
                )
                try await alice.photograph("files-refused-phone")
                try await alice.browser.click("[data-action=discard]")
                try await alice.browser.wait(for: "\(ChatPage.pending).length === 0")
                #expect(try await eventually { try await alice.uploaded() == 0 })
                #expect(try await alice.waitingFiles() == 0)
                // What is not what its name says is sent as a download.
                try await alice.give(by: "choose", "[new File(['no picture'], 'fake.gif', { type: 'image/gif' })]")
                try await alice.browser.click("#send")
                try await alice.browser.wait(
                    for: "document.querySelector('[data-kind=message] a.card-part')?.innerText.includes('fake.gif')")
            }
        }

        @Test("files that the server has removed are uploaded once more; those that this device has lost are said so")
        func lost() async throws {
            try await ChatPage.withPages(.phone) { _, pages in
                let alice = pages[0]
                try await alice.signUp("alice")
                try await alice.join("Garden")
                // As a page leaves it that ended a day ago, after the upload.
                _ = try await alice.browser.runAsync(
                    """
                    const [{ Database }, { uuidV7 }] = await Promise.all(['/client/database.js', '/client/uuid.js'].map((path) => import(path)));
                    const database = await Database.open(JSON.parse(localStorage.getItem('parley.me')).id);
                    const file = { name: 'old.bin', type: 'application/octet-stream', size: 3, attachment: 'removed', isComplete: true };
                    const common = { op: 'message', thread: location.hash.split('/').at(-1), at: Date.now(), state: 'accepted' };
                    await database.transact(['outbox', 'files'], 'readwrite', async (store) => {
                        const id = uuidV7();
                        store('files').put({ id, index: 0, blob: new Blob(['old']) });
                        store('outbox').put({ ...common, id, order: 1, text: 'kept', files: [file] });
                        store('outbox').put({ ...common, id: uuidV7(), order: 2, text: 'lost', files: [{ ...file, isComplete: false }] });
                    });
                    database.close();
                    """)
                try await alice.browser.reload()
                try await alice.browser.wait(for: "\(ChatPage.texts).join() === 'kept'")
                try await alice.browser.wait(
                    for:
                        "document.querySelector('[data-status=failed]')?.innerText.includes('no longer on this device')"
                )
                let text = "return (await fetch(document.querySelector('[data-kind=message] a.card-part').href)).text()"
                #expect(try await alice.browser.runAsync(text) == "old")
                #expect(try await alice.uploaded() == 1)
            }
        }

        @Test("a server that takes no files has no button for them")
        func off() async throws {
            try await ChatPage.withPages(.phone, environment: ["PARLEY_ATTACHMENTS_FOLDER": "off"]) { _, pages in
                try await pages[0].signUp("alice")
                try await pages[0].join("Garden")
                try await pages[0].browser.wait(for: "document.getElementById('add-file').hidden")
                try await pages[0].say("only words")
                try await pages[0].sees(["only words"])
            }
        }
    }
}

extension ChatPage {
    /// Opens the page again, and waits until the picture that it shows is in the cache.
    fileprivate func seesPictureOfServer() async throws {
        try await browser.reload()
        try await browser.wait(for: "\(Self.picture)?.naturalWidth === 900")
        let url = try await browser.run("return \(Self.picture).src").string ?? ""
        #expect(
            try await eventually {
                try await browser.runAsync("return Boolean(await caches.match('\(url)', { ignoreVary: true }))") == true
            })
    }

    /// The first picture of a message.
    fileprivate static let picture = "document.querySelector('#messages [data-kind=message] .picture')"

    fileprivate static func enterGarden(_ alice: ChatPage, _ bob: ChatPage) async throws {
        for (page, name) in [(alice, "alice"), (bob, "bob")] {
            try await page.signUp(name)
            try await page.join("Garden")
        }
    }

    /// Limits what this browser sends; bytes per second, -1 for no limit.
    fileprivate func slowUploads(to rate: Int) async throws {
        try await browser.execute("Network.enable", [:])
        try await browser.execute(
            "Network.emulateNetworkConditions",
            ["offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": .int(rate)])
    }

    /// How many files the server has of the user.
    fileprivate func uploaded() async throws -> Int? {
        try await browser.runAsync("return (await (await fetch('/v1/attachments')).json()).used_files").int
    }

    /// How many files are kept on this device for messages that are not sent.
    fileprivate func waitingFiles() async throws -> Int? {
        try await browser.runAsync(
            """
            const { Database } = await import('/client/database.js');
            const database = await Database.open(JSON.parse(localStorage.getItem('parley.me')).id);
            const keys = await database.transact(['files'], 'readonly', (store) => store('files').keys(), []);
            database.close();
            return keys.length;
            """
        ).int
    }
}
