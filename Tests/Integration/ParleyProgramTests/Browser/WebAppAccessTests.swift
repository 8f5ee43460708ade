import ParleyTestBrowser
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The web client for the keyboard, for screen readers, and for rooms with very many messages.
    @Suite struct WebAppAccessTests {
        @Test("with the keyboard alone one signs up, makes a room, writes, edits and reacts")
        func keyboard() async throws {
            try await ChatPage.withPages(.desktop) { _, pages in
                let page = pages[0]
                let browser = page.browser
                let (enter, tab, up, escape) = ("\u{E007}", "\u{E004}", "\u{E013}", "\u{E00C}")
                // The field of the name has the focus; the switch comes after password and button.
                try await browser.wait(for: "document.activeElement.id === 'username'")
                try await browser.press(tab + tab + tab + enter)
                try await browser.wait(for: "document.activeElement.id === 'username'")
                try await browser.press("alice" + tab + ChatPage.password + enter)
                try await browser.wait(for: ChatPage.isConnected)
                for _ in 0..<20 {
                    if try await browser.run("return document.activeElement.id") == "open-new" { break }
                    try await browser.press(tab)
                }
                try await browser.press(enter)
                try await browser.wait(for: "document.activeElement.id === 'room-title'")
                try await browser.press("Garden" + enter)
                try await browser.wait(for: "document.activeElement.id === 'text'")
                try await browser.press("hello" + enter)
                try await page.sees(["hello"])
                try await browser.press(up)
                try await browser.wait(for: "!document.getElementById('context').hidden")
                try await browser.press("!" + enter)
                try await page.sees(["hello!"])
                try await browser.press(up)
                try await browser.wait(for: "!document.getElementById('context').hidden")
                try await browser.press(escape)
                try await browser.wait(for: "document.getElementById('text').value === ''")
                // Back to the newest message, its toolbar, and the first quick reaction.
                try await browser.press(tab, holding: "\u{E008}")
                try await browser.wait(for: "document.activeElement.matches('#messages article')")
                try await browser.press(tab + enter)
                try await browser.wait(for: "document.querySelector('.reaction')?.textContent === '👍1'")
                #expect(try await browser.scriptErrors() == [])
            }
        }

        @Test("every control has a name and every page of the app its landmarks; nothing is wider than a phone")
        func names() async throws {
            try await ChatPage.withPages(.phone, .desktop) { parley, pages in
                for page in pages { try await page.check("login") }
                let (phone, desktop) = (pages[0], pages[1])
                try await phone.signUp("alice")
                try await desktop.signUp("bob")
                try await phone.check("empty inbox")
                for page in pages { try await page.join("Garden") }
                try await desktop.say(
                    "hello **world**, see https://example.org and @alice " + String(repeating: "wide", count: 60))
                // Shift and Enter begin a line.
                let line = "\u{E008}\u{E007}\u{E008}"
                try await phone.say("```\(line)\(String(repeating: "code ", count: 60))\(line)```")
                try await phone.browser.wait(for: "\(ChatPage.texts).length === 2")
                for page in pages {
                    try await page.check("conversation")
                    _ = try await page.browser.run("document.querySelector('#messages article').focus()")
                    try await page.check("toolbar")
                    try await page.browser.click("#add-emoji")
                    try await page.check("emojis")
                    try await page.browser.press("\u{E00C}")
                    try await page.browser.click("#open-members")
                    try await page.browser.wait(for: "document.querySelectorAll('.member').length === 2")
                    try await page.check("members")
                    try await page.browser.click("dialog [data-action=close]")
                    try await page.give(by: "choose", "[await photo(1200, 800)]")
                    try await page.check("tray")
                    try await page.browser.click("#send")
                    try await page.browser.wait(
                        for: "document.querySelector('#messages .picture-button .picture')?.naturalWidth === 1200")
                    try await page.check("photo")
                    try await page.browser.click("#messages .picture-button")
                    try await page.browser.wait(for: "document.querySelector('.viewer img').naturalWidth === 1200")
                    try await page.check("full size")
                    try await page.browser.click("dialog [data-action=close]")
                }
                _ = try await phone.browser.click("#back")
                for (button, name) in [
                    ("#open-new", "new"), ("#open-search", "search"), ("#open-settings", "settings"),
                ] {
                    for page in pages {
                        try await page.browser.click(button)
                        try await page.browser.wait(for: "document.querySelector('dialog[open]')")
                        try await page.check(name)
                        try await page.browser.click("dialog [data-action=close]")
                        // The focus is where it was.
                        try await page.browser.wait(for: "document.activeElement.id === '\(button.dropFirst())'")
                    }
                }
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }

        @Test("initials can be read in all their colours, in light and dark mode")
        func contrast() async throws {
            try await ChatPage.withPages(.phone) { _, pages in
                let browser = pages[0].browser
                for isDark in [false, true] {
                    try await browser.prefersDark(isDark)
                    #expect(try await browser.runAsync(Self.lowContrasts) == [])
                }
            }
        }

        /// The colours whose contrast to the circle around them is less than 4.5, as WCAG wants it.
        private static let lowContrasts = """
            const light = (colour) => {
                const numbers = colour.match(/[\\d.]+/g).slice(0, 3).map((each) => Number(each) / (colour.startsWith('rgb') ? 255 : 1));
                const [red, green, blue] = numbers.map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
                return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            };
            return [0, 1, 2, 3, 4, 5, 6, 7].flatMap((hue) => {
                const node = Object.assign(document.createElement('span'), { className: 'avatar' });
                node.dataset.hue = hue;
                document.body.append(node);
                const { color, backgroundColor } = getComputedStyle(node);
                const isOpaque = !backgroundColor.includes('/') && !backgroundColor.startsWith('rgba');
                const [low, high] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
                node.remove();
                return isOpaque && (high + 0.05) / (low + 0.05) >= 4.5 ? [] : [`${hue}: ${color} on ${backgroundColor}`];
            });
            """

        @Test("10,000 messages are scrolled through, and only the visible ones are elements", .timeLimit(.minutes(3)))
        func manyMessages() async throws {
            let environment = ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"]
            try await ChatPage.withPages(.desktop, environment: environment) { parley, pages in
                let page = pages[0]
                try await page.signUp("alice")
                try await page.join("Garden")
                // In steps, each within the patience of WebDriver.
                for _ in 0..<10 { _ = try await page.browser.runAsync(Self.filling) }
                let isAtBeginning =
                    "(document.getElementById('scroller').scrollTop = 0, "
                    + "document.getElementById('older').textContent === 'This is the beginning.')"
                try await page.browser.wait(for: isAtBeginning, within: .seconds(60))
                let figures = try await page.browser.runAsync(Self.scrolling)
                // With the times of frames, which say nothing on a machine that does other work.
                print("10,000 messages: \(figures.text)")
                #expect(figures["rows"]?.int.map { $0 >= 10_000 } == true)
                #expect(figures["nodes"]?.int.map { $0 < 100 } == true)
            }
        }

        /// Sends 1,000 messages over a socket of its own.
        private static let filling = """
            const { threads } = await (await fetch('/v1/threads')).json();
            await new Promise((resolve, reject) => {
                const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/chat`, 'parley.v1');
                let [sent, acked] = [0, 0];
                const more = () => {
                    for (; sent < 1000 && sent - acked < 100; sent += 1) {
                        const text = `message ${sent} ${'some **words** and `code` '.repeat(sent % 9)}`;
                        socket.send(JSON.stringify({ message: { id: threads[0].id, text }, ref: sent + 1 }));
                    }
                };
                socket.onmessage = ({ data }) => {
                    const frame = JSON.parse(data);
                    if (frame.type === 'error') reject(new Error(data));
                    if (frame.type === 'ack') acked += 1;
                    if (acked === 1000) resolve(socket.close());
                    else if (frame.type === 'hello' || frame.type === 'ack') more();
                };
            });
            """

        /// Measures the time of frames while scrolling 300 steps.
        private static let scrolling = """
            const scroller = document.getElementById('scroller');
            const frame = () => new Promise(requestAnimationFrame);
            const rows = Number(document.querySelector('#messages article').getAttribute('aria-setsize'));
            scroller.scrollTop = scroller.scrollHeight;
            await frame();
            const times = [];
            let last = await frame();
            let nodes = 0;
            for (let step = 0; step < 300; step += 1) {
                scroller.scrollTop -= 120;
                const now = await frame();
                times.push(now - last);
                last = now;
                nodes = Math.max(nodes, document.getElementById('messages').children.length);
            }
            times.sort((a, b) => a - b);
            const [median, p95, p99, max] = [150, 285, 297, 299].map((index) => Math.round(times[index]));
            return { rows, nodes, median, p95, p99, max };
            """
    }
}

extension ChatPage {
    /// Finds controls without a name, pictures without a text, dialogs without a title, identifiers used twice, lists and
    /// tabs without their parts, text fields without a label, and anything wider than the screen.
    fileprivate func check(_ name: String) async throws {
        let problems = try await browser.run(
            """
            const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
            const named = (node) => (node.getAttribute('aria-label') ?? '').trim() || node.labels?.length
                || (node.getAttribute('aria-labelledby') ?? '').split(' ').some((id) => document.getElementById(id)?.textContent.trim())
                || (/^(BUTTON|A|SUMMARY)$/.test(node.tagName) && node.innerText.trim());
            const problems = [];
            const report = (what, nodes) => nodes.forEach((node) => problems.push(`${what}: ${node.outerHTML.slice(0, 120)}`));
            report('no name', all('button, a[href], input, textarea, select, dialog, nav, [role=dialog], [role=feed], [role=listbox], [role=toolbar], [role=tablist], article').filter((each) => !named(each)));
            report('no alt', all('img').filter((each) => !each.hasAttribute('alt')));
            const ids = all('[id]').map((each) => each.id);
            problems.push(...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `twice: ${id}`));
            report('no tab panel', all('[role=tab]').filter((each) => !document.getElementById(each.getAttribute('aria-controls'))));
            report('no such element', all('[aria-controls], [aria-labelledby], [aria-describedby]').filter((each) =>
                ['aria-controls', 'aria-labelledby', 'aria-describedby'].some((name) => each.hasAttribute(name) && !document.getElementById(each.getAttribute(name)))));
            report('bad role', all('ul, ol').filter((each) => [...each.children].some((child) => child.tagName !== 'LI')));
            report('not in a feed', all('[role=feed] > [role]'));
            report('no place', all('article').filter((each) => !(each.ariaPosInSet >= 1 && each.ariaSetSize >= each.ariaPosInSet)));
            report('too small', all('button.icon-button, .primary').filter((each) => each.getBoundingClientRect().height < 24));
            if (document.documentElement.lang !== 'en' || !document.title) problems.push('no language or title');
            if (all('main').length !== 1 || all('h1, h2').length === 0) problems.push('landmarks');
            if (!document.querySelector('#announcer[aria-live=polite]')) problems.push('no live region');
            if (document.documentElement.scrollWidth > innerWidth) problems.push(`wide: ${document.documentElement.scrollWidth}`);
            report('wide', all('body *').filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('pre')).slice(0, 3));
            return problems;
            """)
        #expect(problems == [], "\(name)")
    }
}
