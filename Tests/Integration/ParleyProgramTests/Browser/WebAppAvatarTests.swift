import ParleyTestBrowser
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Pictures of users in the web client.
    @Suite struct WebAppAvatarTests {
        @Test(
            "a picture of a user is cut to a square and shown beside messages, in the inbox and among the members, until it is removed"
        )
        func picture() async throws {
            try await ChatPage.withPages(.desktop, .phone) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.signUp("alice")
                try await alice.chooseAvatar()
                try await alice.browser.wait(for: "document.querySelector('.avatar.large img')?.naturalWidth === 512")
                #expect(
                    try await alice.browser.run("return document.querySelector('.avatar.large img').naturalHeight")
                        == 512)
                try await alice.photograph("avatar-desktop")
                let isKept =
                    "return (await (await fetch('/v1/me')).json()).avatar_url?.startsWith('/v1/attachments/') === true"
                #expect(try await alice.browser.runAsync(isKept) == true)
                try await alice.browser.click("dialog [data-action=close]")
                try await alice.join("Garden")
                try await alice.say("it's me")

                try await bob.signUp("bob")
                try await bob.join("Garden")
                try await bob.browser.wait(for: "document.querySelector('#messages .avatar img')?.naturalWidth === 512")
                try await bob.browser.click("#open-members")
                try await bob.browser.wait(for: "document.querySelectorAll('.member .avatar img').length === 1")
                try await bob.browser.click("dialog [data-action=close]")
                try await bob.browser.click("#back")
                try await bob.browser.click("#open-new")
                try await bob.browser.click("#tab-people")
                try await bob.browser.type("ali", into: "#person-name")
                try await bob.browser.wait(for: "document.querySelector('.choice .avatar img')?.naturalWidth === 512")
                try await bob.browser.click("#new-people .choice")
                try await bob.browser.wait(for: "document.querySelector('#thread-avatar img')?.naturalWidth === 512")
                try await bob.browser.click("#back")
                try await bob.browser.wait(for: "document.querySelector('.thread .avatar img')?.naturalWidth === 512")
                try await bob.photograph("avatar-phone")

                try await alice.browser.click("#open-settings")
                try await alice.browser.click("[data-action=remove-avatar]")
                try await alice.browser.wait(for: "!document.querySelector('.avatar.large img')")
                try await bob.browser.reload()
                try await bob.open("Garden")
                try await bob.browser.wait(for: "document.querySelector('#messages .avatar')?.textContent === 'A'")
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }
    }
}

extension ChatPage {
    /// Chooses a wide picture in the settings.
    fileprivate func chooseAvatar() async throws {
        try await browser.click("#open-settings")
        try await browser.wait(for: "document.getElementById('avatar-file')")
        _ = try await browser.runAsync(
            """
            const canvas = Object.assign(document.createElement('canvas'), { width: 1200, height: 700 });
            canvas.getContext('2d').fillRect(0, 0, 1200, 700);
            const blob = await new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
            const data = new DataTransfer();
            data.items.add(new File([blob], 'me.png', { type: 'image/png' }));
            const input = document.getElementById('avatar-file');
            input.files = data.files;
            input.dispatchEvent(new Event('change'));
            """)
    }
}
