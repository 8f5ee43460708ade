import Foundation
import ParleyTestSupport
import Synchronization

/// A process of Debian's `chromedriver` with the browsers it has opened: the server side of W3C WebDriver.
///
/// It listens on a free port of 127.0.0.1 and ends with the test runner; Chromium ends with it, since the two are
/// connected by a pipe. The list of browsers is protected by a mutex.
package final class WebDriver: Sendable {
    /// The screen that a page is shown on.
    package enum Screen: Sendable {
        /// 1280 × 800.
        case desktop
        /// 1920 × 1080.
        case wide
        /// 390 × 844 at a pixel ratio of 2, with touch.
        case phone
        /// 320 × 568 with touch, the narrowest phone.
        case narrow

        fileprivate var metrics: JSONValue {
            switch self {
            case .desktop:
                ["width": 1280, "height": 800, "pixelRatio": 1, "mobile": false, "touch": false]
            case .wide:
                ["width": 1920, "height": 1080, "pixelRatio": 1, "mobile": false, "touch": false]
            case .phone:
                ["width": 390, "height": 844, "pixelRatio": 2, "mobile": true, "touch": true]
            case .narrow:
                ["width": 320, "height": 568, "pixelRatio": 2, "mobile": true, "touch": true]
            }
        }
    }

    /// The driver was not ready in time.
    package struct NotReady: Error, CustomStringConvertible {
        package let log: String
        package var description: String { "chromedriver is not ready\n\(log.suffix(2000))" }
    }

    private let child: ChildProcess
    private let port: Int
    private let directory: TemporaryDirectory
    private let browsers = Mutex<[Browser]>([])

    private init(child: ChildProcess, port: Int, directory: TemporaryDirectory) {
        self.child = child
        self.port = port
        self.directory = directory
    }

    /// Starts a driver, passes it to `body`, and ends it and its browsers in any case.
    /// - Throws: ``BrowserMissing``, ``NotReady``, ``WebDriverError``, and the errors of `body`.
    package static func use<Result>(_ body: (WebDriver) async throws -> Result) async throws -> Result {
        let driver = try await start(within: .seconds(20))
        do {
            let result = try await body(driver)
            await driver.stop()
            return result
        } catch {
            await driver.stop()
            throw error
        }
    }

    /// A new browser with a fresh profile, without cookies.
    /// - Parameter language: The preferred language of its user.
    package func openBrowser(_ screen: Screen = .desktop, language: String = "en-GB") async throws -> Browser {
        let options: JSONValue = [
            "args": [
                "--headless=new",
                // Chromium's sandbox does not work for root, as which containers run.
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--lang=\(language)",
                // Connected by a pipe, so that it ends with the driver in any case.
                "--remote-debugging-pipe",
            ],
            "prefs": ["intl.accept_languages": .string(language)],
            "mobileEmulation": ["deviceMetrics": screen.metrics],
        ]
        let capabilities: JSONValue = [
            "alwaysMatch": [
                "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
                // Tests open no dialog on purpose, so one is reported at once.
                "unhandledPromptBehavior": "dismiss and notify",
            ]
        ]
        let value = try await WebDriverCall.post(port, "/session", ["capabilities": capabilities], within: .seconds(60))
        guard let id = value["sessionId"]?.string else { throw WebDriverError(code: "no session", message: value.text) }
        let browser = Browser(port: port, path: "/session/\(id)")
        browsers.withLock { $0.append(browser) }
        return browser
    }

    private static func start(within limit: Duration) async throws -> WebDriver {
        for program in ["chromedriver", "chromium"] where !isOnPath(program) { throw BrowserMissing(program: program) }
        let directory = try TemporaryDirectory()
        let port = FreePort.next()
        var environment = ProcessInfo.processInfo.environment
        // Profiles are removed with the directory.
        environment["HOME"] = directory.path
        // Contains Chromium's socket, and the path of a socket has at most 107 bytes (unix(7)).
        environment["TMPDIR"] = directory.path.utf8.count < 60 ? directory.path : "/tmp"
        let log = directory.path + "/log"
        let child = try await ChildProcess.start(
            "chromedriver", ["--port=\(port)"], environment: environment, in: directory.path, output: log)
        let driver = WebDriver(child: child, port: port, directory: directory)
        let isReady = try await eventually(within: limit) {
            let status = try? await WebDriverCall.get(port, "/status", within: .seconds(2))
            return status?["ready"]?.bool == true
        }
        guard isReady else {
            child.signal(SIGKILL)
            throw NotReady(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
        }
        return driver
    }

    private func stop() async {
        for browser in browsers.withLock({ $0 }) { await browser.quit() }
        child.signal(SIGTERM)
        if (try? await child.exit(within: .seconds(5))) == nil { child.signal(SIGKILL) }
    }

    private static func isOnPath(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}

/// There is no browser to test with. The tests fail rather than being skipped.
package struct BrowserMissing: Error, CustomStringConvertible {
    /// The program that is not on the `PATH`.
    package let program: String

    package var description: String {
        "\(program) is not installed; the browser tests need Debian's packages chromium and chromium-driver "
            + "(apt-get install chromium chromium-driver; make test does it)"
    }
}
