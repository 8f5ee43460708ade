import Foundation
import ParleyTestSupport
import Testing

/// An app that depends on ParleyClient with `traits: []` resolves few packages; see
/// docs/decisions/063-few-packages-for-the-client.md.
@Suite struct ClientPackagesTests {
    /// The packages that remain without the trait, and those that they depend on themselves.
    private static let needed: [String: Set<String>] = [
        "swift-nio": ["swift-atomics", "swift-collections", "swift-system"], "swift-nio-ssl": ["swift-nio"],
        "GRDB.swift": [], "swift-log": [],
    ]

    /// The products of other packages that a manifest names: the package of each, and whether only the trait has it.
    private static func products(in manifest: String) -> [(name: String, package: String, isForServer: Bool)] {
        manifest.matches(of: /Dependency\.product\(\s*name: "(\w+)", package: "([\w.-]+)"([^()]*)\)/).map { match in
            (String(match.1), String(match.2), match.3.contains("condition: server"))
        }
    }

    @Test("without the trait Server, ParleyClient resolves at most eight packages, itself included")
    func packages() throws {
        let products = Self.products(in: try Repository.text("Package.swift"))
        #expect(products.count > 20)
        let always = Set(products.filter { !$0.isForServer }.map(\.package))
        #expect(always == Set(Self.needed.keys))
        let all = Self.needed.reduce(into: always) { $0.formUnion($1.value) }
        #expect(all.count + 1 <= 8)
        for product in products where product.isForServer {
            #expect(!always.contains(product.package), "\(product.name): the condition would have no effect")
        }
    }

    @Test("the trait is on by default, so the program, the tools and the tests have their packages")
    func isDefault() throws {
        let manifest = try Repository.text("Package.swift")
        #expect(manifest.contains("let server = TargetDependencyCondition.when(traits: [\"Server\"])\n"))
        #expect(manifest.contains(".default(enabledTraits: [\"Server\"])"))
        #expect(!manifest.contains(/dependencies: \[[^\]]*\.product\(/), "a product without a constant is not counted")
    }

    @Test("the client library and what it consists of use no product of the trait")
    func library() throws {
        let manifest = try Repository.text("Package.swift")
        let conditional = Set(
            manifest.matches(of: /let (\w+) = Target\.Dependency\.product\([^()]*condition: server\)/).map {
                String($0.1)
            })
        #expect(conditional.count > 10)
        for target in try PackageManifest().targets where ["Client", "Core"].contains(target.group) {
            guard target.name.hasPrefix("ParleyClient") || target.name == "ParleyJSON" else { continue }
            #expect(target.products.isDisjoint(with: conditional), "\(target.name)")
        }
    }

    @Test("every document that shows the dependency of an app shows it with no traits")
    func documents() throws {
        for document in [
            "README.md", "docs/clients.md", "Sources/Client/ParleyClient/Documentation.docc/ParleyClient.md",
            "examples/swift/bot/Package.swift", "examples/swiftui/Package.swift",
        ] {
            let text = try Repository.text(document)
            for line in text.split(separator: "\n") where line.contains(".package(") && line.contains("parley\"") {
                #expect(line.contains("traits: []"), "\(document): \(line)")
            }
        }
    }
}
