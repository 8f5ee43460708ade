import Crypto
import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Messages to a page that is closed, as its service worker shows them.
    ///
    /// The subscription is that of the test, since a browser gets one from its vendor; DevTools hand the decrypted text to the
    /// service worker, as the browser would.
    @Suite struct WebAppPushTests {
        /// The device whose page is closed.
        private struct Device {
            let page: ChatPage
            let service: PushServiceStandIn
            let key: P256.Signing.PublicKey

            /// Waits for a push, and hands it to the service worker.
            func receive(_ number: Int) async throws -> JSONValue {
                let isThere = try await eventually { try service.texts(signedBy: key).count >= number }
                let texts = try service.texts(signedBy: key)
                #expect(isThere, "\(texts)")
                let text = try #require(texts.dropFirst(number - 1).first)
                try await page.browser.execute("ServiceWorker.enable", [:])
                // The first registration of a new profile.
                try await page.browser.execute(
                    "ServiceWorker.deliverPushMessage",
                    ["origin": .string(page.baseURL), "registrationId": "0", "data": .string(text)])
                return try JSONValue(parsing: text)
            }

            /// Waits until the notifications that are shown have these texts, in any order.
            func shows(_ bodies: [String]) async throws {
                let script = """
                    const shown = await (await navigator.serviceWorker.ready).getNotifications();
                    return shown.map((each) => each.title + ': ' + each.body).sort();
                    """
                let isShown = try await eventually {
                    try await page.browser.runAsync(script).array?.compactMap(\.string) == bodies
                }
                let shown = try await page.browser.runAsync(script)
                #expect(isShown, "\(shown.text)")
            }
        }

        @Test("a message to a closed page is pushed, shown with its badge, and cleared when it is read elsewhere")
        func push() async throws {
            let (key, service) = (P256.Signing.PrivateKey(), try await PushServiceStandIn.start())
            let directory = try TemporaryDirectory()
            try key.pemRepresentation.write(toFile: directory.path + "/vapid.pem", atomically: true, encoding: .utf8)
            let environment = [
                "PARLEY_PUSH_VAPID_KEY_FILE": directory.path + "/vapid.pem",
                "PARLEY_PUSH_VAPID_SUBJECT": "mailto:ops@example.org", "PARLEY_PUSH_DELAY_SECONDS": "1",
                "PARLEY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1",
            ]
            try await ChatPage.withPages(.desktop, .desktop, .phone, environment: environment) { _, pages in
                let (ada, bob, phone) = (pages[0], pages[1], pages[2])
                try await ada.signUp("ada")
                try await bob.signUp("bob")
                for page in [ada, bob] { try await page.join("Garden") }
                try await bob.browser.execute(
                    "Browser.grantPermissions",
                    ["origin": .string(bob.baseURL), "permissions": ["notifications"]])
                try await bob.notifyHere(service.subscription)
                // A page of the same origin without the app.
                try await bob.browser.open(bob.baseURL + "/app/manifest.webmanifest")
                let device = Device(page: bob, service: service, key: key.publicKey)

                try await ada.say("nothing for bob")
                try await ada.say("@bob do you come?")
                var push = try await device.receive(1)
                #expect(push["kind"] == "message" && push["mention"] == true && push["unread"]?["total"] == 2)
                try await device.shows(["Garden: ada: @bob do you come?"])
                try await ada.say("@bob or not?")
                push = try await device.receive(2)
                #expect(push["unread"]?["total"] == 3 && push["unread"]?["thread"] == 3)
                try await device.shows(["Garden: ada: @bob or not?"])

                try await phone.logIn("bob")
                try await phone.open("Garden")
                try await phone.sees(["nothing for bob", "@bob do you come?", "@bob or not?"])
                push = try await device.receive(3)
                #expect(push["kind"] == "clear" && push["unread"]?["total"] == 0)
                try await device.shows([])
            }
        }
    }
}

extension ChatPage {
    /// Switches notifications on for this device, whose browser has the subscription that the test has made.
    fileprivate func notifyHere(_ subscription: JSONValue) async throws {
        _ = try await browser.run(
            """
            const subscription = \(subscription.text);
            PushManager.prototype.getSubscription = async () => null;
            PushManager.prototype.subscribe = async () => ({ toJSON: () => subscription });
            """)
        try await browser.click("#open-settings")
        try await browser.click("[data-action=open-notifications]")
        try await browser.click("#notify-device")
        try await browser.wait(
            for: "document.getElementById('notify-state').innerText === 'Also while this page is closed.'")
        try await closeDialogs()
    }
}
