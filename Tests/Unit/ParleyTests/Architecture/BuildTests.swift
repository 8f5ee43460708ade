import Foundation
import ParleyTestSupport
import Testing

/// `deploy/build` and `deploy/version`, on a small tree with a stand-in for `swift`.
@Suite struct BuildTests {
    /// A copy of the scripts in a directory of its own, with sources that nobody compiles.
    private struct Tree {
        let directory: TemporaryDirectory

        init() async throws {
            directory = try TemporaryDirectory()
            for path in ["deploy/build", "deploy/version", "Sources/Shims/CVersion/version.c", ".gitattributes"] {
                try write(path, Repository.text(path))
            }
            try write("Package.swift", "")
            try write("Sources/Program/Main.swift", "")
            try write("docs/PROTOCOL.md", "")
            // Keeps its arguments, changes a source if requested, and leaves a program.
            try write(
                "bin/swift",
                """
                #!/bin/sh
                echo "${PARLEY_VERSION-none} ${PARLEY_DELIVERED:+delivered }$*" >>calls
                [ ! -e edit ] || { rm edit; echo "// changed" >>Sources/Program/Main.swift; }
                mkdir -p .build/release
                echo "$*" >.build/release/parley
                chmod +x .build/release/parley
                """)
            // As copies, which only a child has written: another test's child may still have this process's open files,
            // and a script that is open for writing cannot be executed.
            _ = try await run(
                """
                for script in deploy/* bin/*; do cp "$script" copy; chmod +x copy; mv copy "$script"; done
                ln -s ../../docs/PROTOCOL.md Sources/Program/protocol.md
                """)
        }

        func write(_ path: String, _ text: String) throws {
            let url = URL(filePath: directory.path).appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: true, encoding: .utf8)
        }

        /// Runs a script in the tree.
        /// - Returns: what it printed.
        @discardableResult
        func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
            let output = directory.path + "/.output"
            try? FileManager.default.removeItem(atPath: output)
            let child = try await ChildProcess.start(
                "bash", ["-euc", script],
                environment: [
                    "PATH": directory.path + "/bin:/usr/bin:/bin", "HOME": directory.path, "GIT_CONFIG_NOSYSTEM": "1",
                ],
                in: directory.path, output: output)
            let end = try await child.exit(within: .seconds(30))
            let text = ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
                .trimmingCharacters(in: .newlines)
            #expect(end == .exited(0), "\(script): \(text)", sourceLocation: sourceLocation)
            return text
        }

        /// The calls of SwiftPM, with their arguments.
        func calls() throws -> [String] {
            guard let text = try? String(contentsOfFile: directory.path + "/calls", encoding: .utf8) else { return [] }
            return text.split(separator: "\n").map(String.init)
        }

        static let commit = "git -c user.name=Test -c user.email=test@localhost commit -qm Change"
    }

    @Test("a program that is up to date is not built again, nor is SwiftPM asked")
    func upToDate() async throws {
        let tree = try await Tree()
        try await tree.run("deploy/build")
        #expect(try tree.calls() == ["0.1.0-dev build -c release --no-color-diagnostics --product parley"])
        try await tree.run("deploy/build")
        #expect(try tree.calls().count == 1)
    }

    @Test(
        "whatever a build reads or writes has it built again when it changes",
        arguments: [
            "touch Sources/Program/Main.swift", "touch docs/PROTOCOL.md", "echo '// x' >>Sources/Program/Main.swift",
            "touch Package.swift",
            "touch Sources/Program/Other.swift", "mv Sources/Program/Main.swift Sources/Program/Renamed.swift",
            "rm Sources/Program/Main.swift", "echo '{}' >Package.resolved", "rm .build/release/parley",
            "touch .build/release/parley", "touch -d '2001-01-01' Sources/Program/Main.swift", "touch bin/swift",
            "export PARLEY_LENIENT=1",
        ])
    func changes(change: String) async throws {
        let tree = try await Tree()
        try await tree.run("deploy/build; deploy/build")
        try #require(try tree.calls().count == 1)
        try await tree.run("\(change); deploy/build; deploy/build")
        #expect(try tree.calls().count == 2)
    }

    @Test("a source that changes while the build runs is built the next time")
    func changedMeanwhile() async throws {
        let tree = try await Tree()
        try await tree.run("touch edit; deploy/build; deploy/build; deploy/build")
        #expect(try tree.calls().count == 2)
    }

    @Test("tests and program have the same flags, and a program for other machines is linked again")
    func flags() async throws {
        let tree = try await Tree()
        try await tree.run("deploy/build tests; deploy/build; deploy/build delivery; deploy/build delivery")
        #expect(
            try tree.calls() == [
                "0.1.0-dev build -c release --no-color-diagnostics --build-tests",
                "0.1.0-dev delivered build -c release --no-color-diagnostics --product parley",
            ])
        #expect(try await tree.run("deploy/build flags") == "-c release --no-color-diagnostics")
    }

    @Test("every command that builds or tests has those flags")
    func commands() async throws {
        let makefile = try Repository.text("Makefile")
        #expect(!makefile.contains("swift build"))
        #expect(makefile.contains("\nTEST = swift test $(shell deploy/build flags) "))
        let files = [
            "Makefile", ".ci/run", "README.md", "CONTRIBUTING.md", "deploy/build", "deploy/Dockerfile",
            "deploy/cluster", "deploy/verify-compose", "deploy/verify-upgrade", "docs/operations/upgrade.md",
            "docs/performance.md",
        ]
        for file in files {
            let text = try Repository.text(file)
            for line in text.split(separator: "\n") where line.contains(/swift (build|test|run) .*-c release/) {
                #expect(line.contains("--no-color-diagnostics"), "\(file): \(line)")
            }
        }
    }

    @Test("the version is that of the tag; else the source's, with the commit; and the source's alone without git")
    func version() async throws {
        let tree = try await Tree()
        #expect(try await tree.run("deploy/version") == "0.1.0-dev")
        try await tree.run("git init -q . && git add deploy Sources Package.swift .gitattributes && \(Tree.commit)")
        let commit = try await tree.run("git rev-parse --short HEAD")
        #expect(try await tree.run("deploy/version") == "0.1.0-dev+\(commit)")
        #expect(try await tree.run("echo '// x' >>Package.swift; deploy/version") == "0.1.0-dev+\(commit).dirty")
        try await tree.run("git checkout -q Package.swift && git tag something && git tag v1.2.3")
        #expect(try await tree.run("deploy/version") == "1.2.3")
        #expect(try await tree.run("echo '// x' >>Package.swift; deploy/version") == "0.1.0-dev+\(commit).dirty")
    }

    @Test("an archive without git has the version of its commit or tag")
    func archive() async throws {
        let tree = try await Tree()
        let unpack = "rm -rf archive && mkdir archive && git archive HEAD | tar -x -C archive && archive/deploy/version"
        try await tree.run("git init -q . && git add deploy Sources Package.swift .gitattributes && \(Tree.commit)")
        let commit = try await tree.run("git rev-parse --short HEAD")
        #expect(try await tree.run(unpack) == "0.1.0-dev+\(commit)")
        #expect(try await tree.run("git tag v2.0.0-rc.1; \(unpack)") == "2.0.0-rc.1")
    }

    @Test("a build for development has no commit in its version, so that a commit builds nothing again")
    func development() async throws {
        let tree = try await Tree()
        try await tree.run("git init -q . && git add deploy Sources Package.swift .gitattributes && \(Tree.commit)")
        try await tree.run("deploy/build && touch x && git add x && \(Tree.commit) && deploy/build")
        #expect(try tree.calls() == ["none build -c release --no-color-diagnostics --product parley"])
        // What is delivered names its commit; a tagged commit has the same version in all builds.
        try await tree.run("deploy/build delivery && git tag v1.2.3 && deploy/build && deploy/build delivery")
        let version = try await tree.run("git tag -d v1.2.3 >deleted; deploy/version")
        #expect(try tree.calls().dropFirst().map { String($0.prefix { $0 != " " }) } == [version, "1.2.3", "1.2.3"])
    }
}
