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
            let environment = try Self.environment(key, in: directory)
            try await ChatPage.withPages(.desktop, .desktop, .phone, environment: environment) { _, pages in
                let (ada, bob, phone) = (pages[0], pages[1], pages[2])
                try await ada.signUp("ada")
                try await bob.signUp("bob")
                for page in [ada, bob] { try await page.join("Garden") }
                try await bob.allowNotifications()
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

        @Test("the switch in the settings registers this browser, and a logout ends the device and the subscription")
        func registration() async throws {
            let (key, service) = (P256.Signing.PrivateKey(), try await PushServiceStandIn.start())
            let directory = try TemporaryDirectory()
            let environment = try Self.environment(key, in: directory)
            try await ChatPage.withPages(.phone, environment: environment) { _, pages in
                let ada = pages[0]
                try await ada.signUp("ada")
                try await ada.allowNotifications()
                try await ada.subscribeTo(service.subscription)
                try await ada.browser.click("#open-settings")
                try await ada.browser.click("[data-action=open-notifications]")
                try await ada.browser.click("#notify-device")
                try await ada.browser.wait(
                    for: "document.getElementById('notify-state').innerText === 'Also while this page is closed.'")
                // The key of the server is a point of 65 bytes.
                #expect(try await ada.browser.run("return window.asked") == [true, 65])
                let devices = "return (await (await fetch('/v1/me/devices')).json()).devices.map((each) => each.kind)"
                #expect(try await ada.browser.runAsync(devices) == ["web"])

                try await ada.select("none", in: "notify-direct")
                try await ada.browser.click("[data-action=save-notifications]")
                try await ada.browser.wait(
                    for: "[...document.querySelectorAll('dialog')].at(-1).innerText.includes('Saved.')")
                let level = "return (await (await fetch('/v1/me/notifications')).json()).default.direct"
                #expect(try await ada.browser.runAsync(level) == "none")
                try await ada.closeDialogs()

                try await ada.logOut()
                try await ada.browser.wait(for: "window.isUnsubscribed === true")
                try await ada.logIn("ada")
                #expect(try await ada.browser.runAsync(devices) == [])
                #expect(try await ada.browser.scriptErrors() == [])
            }
        }

        /// The settings of a server that sends pushes to a stand-in on this machine.
        private static func environment(
            _ key: P256.Signing.PrivateKey, in directory: TemporaryDirectory
        ) throws -> [String: String] {
            try key.pemRepresentation.write(toFile: directory.path + "/vapid.pem", atomically: true, encoding: .utf8)
            return [
                "PARLEY_PUSH_VAPID_KEY_FILE": directory.path + "/vapid.pem",
                "PARLEY_PUSH_VAPID_SUBJECT": "mailto:ops@example.org", "PARLEY_PUSH_DELAY_SECONDS": "1",
                "PARLEY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1",
            ]
        }
    }
}

extension ChatPage {
    fileprivate func allowNotifications() async throws {
        try await browser.execute(
            "Browser.grantPermissions", ["origin": .string(baseURL), "permissions": ["notifications"]])
    }

    /// Lets the page get a subscription that the test has made, in place of its browser's, until it is loaded again.
    fileprivate func subscribeTo(_ subscription: JSONValue) async throws {
        _ = try await browser.run(
            """
            PushManager.prototype.getSubscription = async () => window.made ?? null;
            PushManager.prototype.subscribe = async (options) => {
              window.asked = [options.userVisibleOnly, options.applicationServerKey.length];
              window.made = {
                options, toJSON: () => (\(subscription.text)),
                unsubscribe: async () => { [window.made, window.isUnsubscribed] = [null, true]; },
              };
              return window.made;
            };
            """)
    }

    /// Registers this browser with a subscription that the test has made.
    fileprivate func notifyHere(_ subscription: JSONValue) async throws {
        let status = try await browser.runAsync(
            """
            const reply = await fetch('/v1/me/devices', {
              method: 'POST', headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ kind: 'web', ...\(subscription.text) }) });
            return reply.status;
            """)
        #expect([200, 201].contains(status.int ?? 0), "\(status.text)")
    }
}
