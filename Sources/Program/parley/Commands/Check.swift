import ArgumentParser
import Foundation
import Logging
import Metrics
import NIOCore
import NIOPosix
import ParleyAccounts
import ParleyChannels
import ParleyDjangoQueues
import ParleyModel
import ParleyRedis
import ParleyStorage

/// `parley check`: reports whether a node would start. It changes nothing: it creates no database, table or secret.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the settings, and the servers in them. The exit code is 0 if a node would start.")

    @OptionGroup var flags: ServerFlags

    @Flag(help: "Print the table of all settings in docs/settings.md instead of checking them.")
    var settings = false

    func run() async throws {
        if settings {
            var reader = SettingsReader([])
            _ = try Settings(&reader) { _ in Secret(text: String(repeating: "-", count: 52)) }
            print(SettingsTable.markdown(reader.entries), terminator: "")
            return
        }
        var report = CheckReport()
        await check(&report)
        print(report.text, terminator: "")
        if report.hasFailed { throw ExitCode(1) }
    }

    private func check(_ report: inout CheckReport) async {
        let settings: Settings
        do throws(SettingErrors) {
            let reading = try await flags.settings(secretFallback: KeptSecret.peek)
            settings = reading.settings
            for error in reading.placeholders { report.failed("settings", "\(error)") }
            if reading.placeholders.isEmpty { report.passed("settings", "all values are valid") }
            for unknown in reading.unknown { report.noted("settings", "\(unknown)") }
        } catch {
            for unknown in error.unknown { report.noted("settings", "\(unknown)") }
            for error in error.errors { report.failed("settings", "\(error)") }
            return
        }
        await checkDatabase(settings.database, &report)
        await checkAccounts(settings.accounts, &report)
        await checkDjango(settings, &report)
        await checkRedis(settings, &report)
        await checkPort(settings.host, settings.port, "--port", &report)
        if let port = settings.linePort { await checkPort(settings.host, port, "--line-port", &report) }
        if let ops = settings.opsListener { await checkPort(ops.host, ops.port, "--ops-port", &report) }
    }

    private func checkDatabase(_ database: DatabaseAddress, _ report: inout CheckReport) async {
        do throws(StoreError) {
            switch try await database.inspect() {
            case .complete: report.passed("database", "\(database) has the schema of this version")
            case .behind(let step, let last):
                report.noted(
                    "database",
                    "\(database) has schema step \(step) of \(last): run `parley migrate` (persister and serve do it too)"
                )
            case .empty:
                report.noted(
                    "database",
                    "\(database) has no tables yet: `parley migrate` creates them (persister and serve do it too)")
            }
        } catch {
            switch error {
            case .unavailable(let reason), .failed(let reason): report.failed("database", reason)
            default: report.failed("database", "\(error)")
            }
        }
    }

    private func checkAccounts(_ settings: AccountSettings, _ report: inout CheckReport) async {
        do {
            // As at the start, so that errors of keys and secrets are reported.
            try await AccountServices.check(settings, logger: Logger(label: "parley"))
            report.passed("accounts", "keys and secrets are usable")
        } catch {
            report.failed("accounts", StartFailure(error).description)
        }
    }

    private func checkDjango(_ settings: Settings, _ report: inout CheckReport) async {
        guard let site = settings.django else { return }
        do {
            let directory = try site.open(logger: Logger(label: "parley"))
            try await directory.check()
            await directory.close()
            report.passed("django", "django_session and \(site.model.table) in \(site.database) are readable")
        } catch {
            report.failed("django", StartFailure(error).description)
        }
        if settings.accounts.allowsSignup {
            report.noted(
                "django",
                "PARLEY_AUTH_SIGNUP is true: a user who signs up under the name of a Django user becomes that user")
        }
    }

    private func checkRedis(_ settings: Settings, _ report: inout CheckReport) async {
        guard let redis = settings.redis else {
            return report.noted("redis", "not set: bus and log are in memory, and this process runs alone")
        }
        let hosts = RedisHosts(
            redis, eventLoops: [MultiThreadedEventLoopGroup.singleton.next()], logger: Logger(label: "parley"),
            metrics: NOOPMetricsHandler.instance)
        hosts.start()
        do {
            try await hosts.waitUntilReady(within: .seconds(5))
            report.passed(
                "redis", "\(redis.addresses.count) \(redis.addresses.count == 1 ? "host answers" : "hosts answer")")
            let isCore = redis.channels.core != nil
            report.noted(
                "redis",
                "Django must use \(ChannelLayerUse.backend(isCore: isCore)) with prefix \(redis.channels.prefix)")
            switch await hosts.channelLayerUse().finding(isCore: isCore) {
            case .agrees(let finding): report.passed("redis", finding)
            case .unclear(let finding), .differs(let finding): report.noted("redis", finding)
            }
            for advice in try await hosts.advice() { report.noted("redis", advice) }
        } catch {
            report.failed("redis", "\(error)")
        }
        await hosts.stop()
    }

    private func checkPort(_ host: String, _ port: Int, _ flag: String, _ report: inout CheckReport) async {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port).get()
            try await channel.close()
            report.passed("port", "\(host):\(port) is free")
        } catch let error as IOError {
            report.failed("port", PortFailure(error, host: host, port: port, flag: flag).description)
        } catch {
            report.failed("port", "\(host):\(port): \(error)")
        }
    }
}

/// The findings of `parley check`, one per line.
struct CheckReport {
    private var lines: [String] = []
    private(set) var hasFailed = false

    mutating func passed(_ subject: String, _ finding: String) {
        lines.append("ok    \(subject): \(finding)")
    }

    mutating func noted(_ subject: String, _ finding: String) {
        lines.append("note  \(subject): \(finding)")
    }

    mutating func failed(_ subject: String, _ finding: String) {
        hasFailed = true
        lines.append("FAIL  \(subject): \(finding)")
    }

    var text: String {
        (lines + [hasFailed ? "parley would not start with these settings." : "parley would start."]).joined(
            separator: "\n")
            + "\n"
    }
}
