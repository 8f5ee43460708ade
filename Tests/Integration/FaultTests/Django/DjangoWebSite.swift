import Foundation
import ParleyTestServers
import ParleyTestSupport

/// The example's site as its users see it: Django, Parley with the web app at `/messenger/`, and HAProxy with the
/// example's configuration in front of both.
///
/// The processes die with the tests.
struct DjangoWebSite {
    /// Django, Parley or HAProxy did not answer in time, or HAProxy is not installed.
    struct NotReady: Error {}

    static let key = "the example's key in these tests, which is no secret"

    let site: DjangoSite
    let parley: ParleyProcess
    let baseURL: String
    private let directory: TemporaryDirectory
    private let children: [ChildProcess]

    /// - Parameter environment: further settings of Parley.
    static func start(environment: [String: String] = [:]) async throws -> DjangoWebSite {
        let site = try await DjangoSite.make(environment: ["DJANGO_SECRET_KEY": key])
        let parley = try await ParleyProcess.start(
            environment: [
                "PARLEY_DJANGO_SECRET_KEY": key, "PARLEY_DJANGO_DATABASE": "sqlite:\(site.database)",
                "PARLEY_DJANGO_RECHECK_SECONDS": "1", "PARLEY_TRUSTED_PROXIES": "127.0.0.1",
                "PARLEY_LOGIN_URL": "/login/", "PARLEY_LOGOUT_URL": "/logout/", "PARLEY_WEB_PATH": "/messenger/",
                "PARLEY_WEB_NAME": "Garden Shop",
            ].merging(environment) { $1 })
        let directory = try TemporaryDirectory()
        let (port, djangoPort) = (FreePort.next(), FreePort.next())
        let django = try await ChildProcess.start(
            try await DjangoPython.path(), ["-m", "uvicorn", "project.asgi:application", "--port", "\(djangoPort)"],
            environment: ParleyBinary.environment(["DJANGO_SECRET_KEY": key, "DJANGO_DATABASE": site.database]),
            in: Repository.path + "/examples/django", output: directory.path + "/django.log")
        var configuration = try Repository.text("examples/django/haproxy.cfg")
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
            .replacing("127.0.0.1:8000", with: "127.0.0.1:\(djangoPort)")
        for each in [8081, 8082, 8083] {
            configuration = configuration.replacing("127.0.0.1:\(each)", with: "127.0.0.1:\(parley.port)")
        }
        let file = directory.path + "/haproxy.cfg"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        guard let program = Balancer.path else { throw NotReady() }
        let balancer = try await ChildProcess.start(
            program, ["-db", "-f", file], environment: ProcessInfo.processInfo.environment, in: directory.path,
            output: directory.path + "/haproxy.log")
        let isUp = try await eventually(within: .seconds(30)) {
            guard (try? await HTTPClient(port: port).get("/login/").status) == 200 else { return false }
            return (try? await HTTPClient(port: port).get("/messenger/").status) == 200
        }
        guard isUp else { throw NotReady() }
        return DjangoWebSite(
            site: site, parley: parley, baseURL: "http://127.0.0.1:\(port)", directory: directory,
            children: [django, balancer])
    }

    func stop() async throws {
        for child in children { child.signal(SIGKILL) }
        try await parley.kill()
    }
}
