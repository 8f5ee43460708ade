import Foundation
import ParleyTestSupport
import Testing

/// `make check` has a manifest of one target, its tests, and the targets that these need.
@Suite struct CheckTests {
    private struct Manifest: Decodable {
        struct Target: Decodable { let name: String }
        struct Package: Decodable {}

        let targets: [Target]
        let dependencies: [Package]
    }

    /// SwiftPM's reading of Package.swift, with a scratch folder of its own: the usual one is locked by the build that
    /// runs this test.
    private static func manifest(only target: String) async throws -> Manifest {
        let directory = try TemporaryDirectory()
        let (json, output) = (directory.path + "/manifest.json", directory.path + "/output")
        let script = "swift package --scratch-path '\(directory.path)/scratch' dump-package >'\(json)'"
        let environment = ProcessInfo.processInfo.environment.merging(["PARLEY_ONLY": target]) { $1 }
        let child = try await ChildProcess.start(
            "bash", ["-euc", script], environment: environment, in: Repository.path, output: output)
        let end = try await child.exit(within: .seconds(120))
        try #require(end == .exited(0), "\((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
        return try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: URL(filePath: json)))
    }

    @Test("PARLEY_ONLY leaves a target, its tests and what they need, and all packages, so that none is resolved again")
    func manifest() async throws {
        let manifest = try await Self.manifest(only: "ParleyWire")
        let names = Set(manifest.targets.map(\.name))
        #expect(names.isSuperset(of: ["ParleyWire", "ParleyWireTests", "ParleyJSON", "ParleyModel", "CZlib"]))
        let all = try PackageManifest().targets.map(\.name)
        #expect(names.count < all.count / 2)
        #expect(names.isDisjoint(with: ["parley", "ParleySession", "ParleyGateway", "ParleySessionTests"]))
        let packages = try Repository.text("Package.swift").matches(of: /\n *\.package\(url:/)
        #expect(manifest.dependencies.count == packages.count)
    }

    @Test("every unit test target of a module can be named")
    func modules() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Repository.url("Tests/Unit").path())
        for target in try PackageManifest().targets where target.name != "parley" && target.name != "parley-sim" {
            #expect(folders.contains("\(target.name)Tests"), "\(target.name)")
        }
        #expect(try Repository.text("Makefile").contains("\ncheck:\n"))
    }
}
