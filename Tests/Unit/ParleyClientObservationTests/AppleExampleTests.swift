import Foundation
import ParleyTestSupport
import Testing

/// The SwiftUI example, and the code blocks of the DocC articles, compiled with the modules of this build and with
/// declarations that imitate Apple's frameworks (Tests/Fixtures/Apple). Nothing is linked or run.
@Suite(.timeLimit(.minutes(8))) struct AppleExampleTests {
    private static let catalog = "Sources/Client/ParleyClient/Documentation.docc"
    private static let frameworks = ["UIKit", "SwiftUI", "Network", "BackgroundTasks", "UserNotifications"]

    /// Declarations for names that the blocks of articles use and do not declare.
    private static let prelude = """
        @_exported import Foundation
        @_exported import ParleyClient

        var client: ChatClient { fatalError() }
        let garden: ChatThread.ID = "t1"
        let thread: ChatThread.ID = "t1"
        let path = ""
        let error: any Error = ChatError.offline
        let file = ChatFile(url: "", mediaType: "image/png")
        let user = ChatUser(id: "u1", username: "ada")
        func show(_ values: Any...) {}
        func show(_ file: ChatFile, progress: Double?) {}
        func showLogin() {}
        @MainActor var rows: [ChatMessage] = []
        extension String { var nonEmpty: String? { isEmpty ? nil : self } }
        """

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The folder of the products, which has the modules.
    private static var products: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Options that make the modules of this build visible, with the C modules that these use.
    private static func imports() throws -> [String] {
        var options = ["-I", products.appending(path: "Modules").path(percentEncoded: false)]
        for folder in [products, products.appending(path: "../../checkouts").standardized] {
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.lastPathComponent == "module.modulemap" else { continue }
                // Modules that plugins use are built a second time, for the machine that builds.
                let target = file.deletingLastPathComponent().deletingLastPathComponent()
                guard !target.path().hasSuffix("-tool.build/") else { continue }
                options += ["-Xcc", "-fmodule-map-file=\(file.path(percentEncoded: false))"]
            }
        }
        return options
    }

    private func compile(_ arguments: [String]) async throws {
        let output = directory.path + "/output-\(UUID().uuidString)"
        let compiler = try await ChildProcess.start(
            "swiftc", ["-swift-version", "6", "-parse-as-library"] + arguments,
            environment: ProcessInfo.processInfo.environment, in: directory.path, output: output)
        let end = try await compiler.exit(within: .seconds(240))
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        #expect(end == .exited(0) && !text.contains("warning:"), "\(text.prefix(8000))")
    }

    /// Makes modules of the declarations that imitate Apple's.
    private func compileFrameworks() async throws {
        for name in Self.frameworks {
            let source = Repository.url("Tests/Fixtures/Apple/\(name).swift").path(percentEncoded: false)
            try await compile([
                "-emit-module", "-module-name", name, source, "-o", "\(directory.path)/\(name).swiftmodule",
            ])
        }
    }

    private static func sources(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Repository.url(folder).path())
            .filter { $0.hasSuffix(".swift") }.sorted()
            .map { Repository.url("\(folder)/\($0)").path(percentEncoded: false) }
    }

    @Test("the SwiftUI example compiles: views, life of the app, previews and the app itself")
    func example() async throws {
        try await compileFrameworks()
        let imports = ["-I", directory.path] + (try Self.imports())
        try await compile(
            ["-emit-module", "-module-name", "ChatViews", "-o", directory.path + "/ChatViews.swiftmodule"] + imports
                + Self.sources(in: "examples/swiftui/Sources/ChatViews"))
        try await compile(
            ["-typecheck", "-module-name", "ChatApp"] + imports
                + Self.sources(in: "examples/swiftui/Sources/ChatApp"))
    }

    @Test("the code blocks of the DocC articles compile")
    func articles() async throws {
        try await compileFrameworks()
        let articles = try FileManager.default.contentsOfDirectory(atPath: Repository.url(Self.catalog).path())
            .filter { $0.hasSuffix(".md") }.sorted()
        #expect(articles.count >= 9)
        var files: [String] = []
        for article in articles {
            let text = try Repository.text("\(Self.catalog)/\(article)")
            for (index, match) in text.matches(of: /\n```swift\n(?s:(.*?))\n```/).enumerated() {
                let name = "\(article.dropLast(3))\(index)"
                let file = "\(directory.path)/\(name).swift"
                try Self.program(of: String(match.1), name).write(toFile: file, atomically: true, encoding: .utf8)
                files.append(file)
            }
        }
        #expect(files.count >= 18)
        try Self.prelude.write(toFile: directory.path + "/Prelude.swift", atomically: true, encoding: .utf8)
        let imports = ["-I", directory.path] + (try Self.imports())
        // Values that a block shows how to get are not used in it.
        try await compile(
            ["-typecheck", "-module-name", "Articles", "-suppress-warnings", directory.path + "/Prelude.swift"]
                + imports + files)
    }

    /// A block as a file: declarations as they are, and statements in a function.
    private static func program(of block: String, _ name: String) -> String {
        let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
        let imports = lines.filter { $0.hasPrefix("import ") }
        let code = lines.filter { !$0.hasPrefix("import ") }
        let first = code.first { !$0.isEmpty && !$0.hasPrefix("//") } ?? ""
        let isDeclaration = ["struct ", "func ", "extension ", "@MainActor ", "final class "].contains {
            first.hasPrefix($0)
        }
        let declarations = code.map(String.init).map { line in
            let isFunction = line.hasPrefix("func ") || line.hasPrefix("@MainActor func ")
            return isFunction ? line.replacing("func ", with: "static func ", maxReplacements: 1) : line
        }
        let body =
            isDeclaration
            ? ["private enum \(name) {"] + declarations + ["}"]
            : ["@MainActor private func \(name)() async throws {"] + code.map(String.init) + ["}"]
        return (imports.map(String.init) + body).joined(separator: "\n") + "\n"
    }
}
