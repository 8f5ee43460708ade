import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// `deploy/package install`, as `make install` calls it.
    @Suite struct InstallTests {
        private func install(into destination: String) async throws -> (status: ProcessEnd, output: String) {
            let output = destination + "/output"
            let child = try await ChildProcess.start(
                Repository.path + "/deploy/package",
                [
                    "install", "--binary", ParleyBinary.path(), "--prefix", "/opt/parley", "--destination",
                    destination + "/root",
                ],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"], in: destination, output: output)
            let status = try await child.exit(within: .seconds(120))
            return (status, try String(contentsOfFile: output, encoding: .utf8))
        }

        @Test("an installed program runs, its units start it, and settings that are there stay as they are")
        func install() async throws {
            let directory = try TemporaryDirectory()
            let first = try await install(into: directory.path)
            try #require(first.status == .exited(0), "\(first.output)")
            let prefix = directory.path + "/root/opt/parley"

            let version = try await ChildProcess.start(
                prefix + "/bin/parley", ["--version"], environment: [:], in: directory.path,
                output: directory.path + "/version")
            #expect(try await version.exit(within: .seconds(30)) == .exited(0))
            let text = try String(contentsOfFile: directory.path + "/version", encoding: .utf8)
            #expect(text.contains(/^[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*\n$/), "\(text)")
            #expect(try await ParleyBinary.run(["--version"]).output == text)

            for role in ["gateway", "persister"] {
                let unit = try String(
                    contentsOfFile: prefix + "/lib/systemd/system/parley-\(role)@.service", encoding: .utf8)
                #expect(unit.contains("\nExecStart=/opt/parley/bin/parley \(role) "))
            }

            let unit = try String(contentsOfFile: prefix + "/lib/systemd/system/parley.service", encoding: .utf8)
            #expect(unit.contains("\nExecStart=/opt/parley/bin/parley serve\n"))

            let settings = directory.path + "/root/etc/parley/parley.env"
            let mode = try FileManager.default.attributesOfItem(atPath: settings)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try "PARLEY_BIND=127.0.0.1\n".write(toFile: settings, atomically: true, encoding: .utf8)
            #expect(try await install(into: directory.path).status == .exited(0))
            #expect(try String(contentsOfFile: settings, encoding: .utf8) == "PARLEY_BIND=127.0.0.1\n")
        }

        @Test(
            "the manual has every command with its options, and every setting; there are completions for three shells")
        func manual() async throws {
            let directory = try TemporaryDirectory()
            let installed = try await install(into: directory.path)
            try #require(installed.status == .exited(0), "\(installed.output)")
            let share = directory.path + "/root/opt/parley/share"
            let unpack = try await ChildProcess.start(
                "gzip", ["-dc", share + "/man/man1/parley.1.gz"], environment: ["PATH": "/usr/bin:/bin"],
                in: directory.path, output: directory.path + "/manual")
            #expect(try await unpack.exit(within: .seconds(30)) == .exited(0))
            let manual = try String(contentsOfFile: directory.path + "/manual", encoding: .utf8)
                .replacing("\\-", with: "-")
            let commands = [
                "serve", "gateway", "persister", "migrate", "admin create-user", "check", "bots load", "bots plan",
                "chat",
            ]
            for command in commands {
                let section = try #require(manual.components(separatedBy: "\n.SS parley \(command)\n").last)
                    .components(separatedBy: "\n.S")[0]
                #expect(manual.contains("\n.SS parley \(command)\n"), "\(command)")
                let help = try await ParleyBinary.run(command.split(separator: " ").map(String.init) + ["--help"])
                    .output
                let options = Set(help.matches(of: /\n  (--[a-z0-9-]+)/).map { String($0.1) })
                for option in options.subtracting(["--version", "--help"]) {
                    #expect(section.contains("\\fB\(option)\\fR"), "\(command) \(option)")
                }
            }
            let settings = try Repository.text("docs/settings.md").matches(of: /\| `(PARLEY_\w+)` \|/)
            #expect(settings.count > 80)
            for setting in settings { #expect(manual.contains("\n\\fB\(setting.1)\\fR\n"), "\(setting.1)") }
            for file in [
                "bash-completion/completions/parley", "zsh/site-functions/_parley",
                "fish/vendor_completions.d/parley.fish",
            ] {
                let text = try String(contentsOfFile: "\(share)/\(file)", encoding: .utf8)
                #expect(text.contains("serve") && text.contains("drain-seconds"), "\(file)")
            }
        }
    }
}
