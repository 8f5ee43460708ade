import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Mutes and bans as the moderator and the user see them.
    @Suite struct WebAppModerationTests {
        private static let notice = "document.getElementById('mute')"
        private static let composer = "document.getElementById('composer')"

        /// Opens the form about a member and submits it.
        private func sanction(
            _ kind: String, for duration: String, reason: String, of user: String, _ page: ChatPage
        ) async throws {
            let row = "[...document.querySelectorAll('li.member')].find((each) => each.innerText.includes('\(user)'))"
            try await page.browser.wait(for: row)
            _ = try await page.browser.run("(\(row)).querySelector('[data-action=open-sanction]').click()")
            try await page.browser.wait(for: "document.getElementById('sanction-kind')")
            _ = try await page.browser.run(
                """
                for (const [id, value] of [['sanction-kind', '\(kind)'], ['sanction-duration', '\(duration)']]) {
                  const select = document.getElementById(id);
                  select.value = value;
                  select.dispatchEvent(new Event('change', { bubbles: true }));
                }
                """)
            if !reason.isEmpty { try await page.browser.type(reason, into: "#sanction-reason") }
            try await page.browser.click("[data-action=sanction]")
        }

        @Test("a muted user sees why and until when, and writes again afterwards; a banned one loses the room")
        func muted() async throws {
            try await ChatPage.withPages(.desktop, .desktop) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await bob.signUp("bob")
                for page in pages { try await page.join("Garden") }
                try await bob.say("before")
                try await alice.sees(["before"])

                try await alice.browser.click("#open-members")
                try await sanction("mute", for: "hour", reason: "spam", of: "bob", alice)
                try await alice.browser.wait(for: "document.querySelector('.sanction')?.innerText.includes('spam')")
                try await bob.browser.wait(for: "!\(Self.notice).hidden && \(Self.composer).hidden")
                let text = try await bob.browser.run("return \(Self.notice).innerText").string ?? ""
                #expect(text.hasPrefix("A moderator has muted you here until "), "\(text)")
                #expect(text.hasSuffix("Reason: spam"), "\(text)")
                #expect(
                    try await bob.browser.run(
                        "const box = \(Self.notice).getBoundingClientRect();"
                            + "return box.width > 0 && box.height > 0 && box.bottom <= innerHeight") == true)
                // A page that was not there when it happened shows the same.
                try await bob.browser.reload()
                try await bob.browser.wait(for: "\(Self.notice)?.innerText === \(JSONValue.string(text).text)")

                try await alice.browser.click(".sanction [data-action=end-sanction]")
                try await bob.browser.wait(for: "\(Self.notice).hidden && !\(Self.composer).hidden")
                try await bob.say("after")
                try await alice.sees(["before", "after"])

                try await sanction("ban", for: "endless", reason: "", of: "bob", alice)
                try await bob.browser.wait(for: "!document.querySelector('#threads .thread')")
                try await alice.browser.wait(
                    for: "document.querySelector('.sanction[data-kind=ban]')?.innerText.includes('bob')")
                try await bob.browser.click("#open-new")
                try await bob.browser.type("Garden", into: "#room-title")
                try await bob.browser.click("#room-create")
                try await bob.browser.wait(
                    for:
                        "document.querySelector('dialog .error')?.innerText.includes('you are banned from this thread')"
                )
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }
    }
}
