import Foundation
import ParleyTestSupport
import Testing

/// On the path of a message no completion closure is nested more than once, so that what follows an event can be read
/// from top to bottom. As far as the text of the sources shows it: a closure counts if it is written behind a call of a
/// function that keeps one (`@escaping`), or is labelled as a completion.
@Suite struct CompletionTests {
    /// Functions of libraries that call a closure later.
    private static let library: Set<String> = ["addTask", "execute", "scheduleTask", "submit", "whenComplete"]
    /// The sequence functions of the standard library share these names with functions that keep a closure.
    private static let ordinary: Set<String> = ["forEach", "map", "step"]

    @Test("no completion closure on the path of a message is nested more than once")
    func nesting() throws {
        let keeping = try Self.keepingFunctions()
        #expect(keeping.isSuperset(of: ["append", "send", "submit"]))
        let files = try Self.filesOfPath()
        #expect(files.count > 50)
        var deepest = 0
        for file in files {
            let code = SourceCode(try Repository.text(Repository.path(inTarget: file))).lines.joined(separator: "\n")
            let depth = Self.depth(of: code, keeping)
            deepest = max(deepest, depth)
            #expect(depth <= 2, "\(file)")
        }
        #expect(deepest == 2, "nothing is nested any more, or nothing is found")
    }

    @Test(
        "what counts as nested",
        arguments: [
            ("log.append(draft) { finish($0) }", 1),
            ("log.append(draft) { a in loop.execute { b(a) } }", 2),
            ("log.append(draft) { a in loop.execute { log.append(a) { c in d(c) } } }", 3),
            ("log.append(draft, completion: { a in loop.execute { b(a) } })", 2),
            ("log.append(draft) { a in list.map { b($0) } }", 1),
            ("func append(_ a: A) { log.append(a) { b($0) } }", 1),
            ("if x { loop.execute { y() } } else { loop.execute { z() } }", 1),
        ])
    func scan(_ code: String, _ depth: Int) {
        #expect(Self.depth(of: code, ["append"]) == depth)
    }

    /// The files that docs/message-path.md lists.
    private static func filesOfPath() throws -> Set<String> {
        let text = try String(contentsOfFile: Repository.path + "/docs/message-path.md", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `Parley") }
        return Set(rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) })
    }

    /// The names of our functions that keep a closure.
    private static func keepingFunctions() throws -> Set<String> {
        var names: Set<String> = []
        for target in try FileManager.default.contentsOfDirectory(atPath: Repository.path + "/Sources") {
            for file in try PackageManifest().sources(in: "Sources/\(target)") {
                let code = SourceCode(try String(contentsOf: file, encoding: .utf8)).lines.joined(separator: "\n")
                for function in code.components(separatedBy: "func ").dropFirst() {
                    let head = function.prefix { $0 != "{" }
                    if head.contains("@escaping") { names.insert(String(head.prefix { $0.isLetter })) }
                }
            }
        }
        return names.subtracting(ordinary)
    }

    /// How many completion closures are within each other at most.
    private static func depth(of code: String, _ keeping: Set<String>) -> Int {
        var (braces, deepest): ([Bool], Int) = ([], 0)
        let bytes = Array(code.utf8)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "{") {
                braces.append(isCompletion(bytes[..<index], keeping))
                deepest = max(deepest, braces.count { $0 })
            } else if byte == UInt8(ascii: "}") {
                _ = braces.popLast()
            }
        }
        return deepest
    }

    /// Whether a brace behind this code opens a completion closure.
    private static func isCompletion(_ code: ArraySlice<UInt8>, _ keeping: Set<String>) -> Bool {
        var rest = trimmed(code)
        if rest.last == UInt8(ascii: ":") { return lastWord(rest.dropLast()).name == "completion" }
        if rest.last == UInt8(ascii: ")") {
            var depth = 0
            while let byte = rest.popLast() {
                if byte == UInt8(ascii: ")") { depth += 1 }
                if byte == UInt8(ascii: "(") { depth -= 1 }
                if depth == 0 { break }
            }
        }
        let word = lastWord(rest)
        guard keeping.contains(word.name) || library.contains(word.name) else { return false }
        return lastWord(trimmed(word.before)).name != "func"
    }

    private static func trimmed(_ code: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        code.prefix(
            upTo: (code.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") } ?? code.startIndex - 1) + 1)
    }

    private static func lastWord(_ code: ArraySlice<UInt8>) -> (name: String, before: ArraySlice<UInt8>) {
        let start = code.lastIndex { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
        let word = code[(start.map { $0 + 1 } ?? code.startIndex)...]
        return (String(decoding: word, as: UTF8.self), code[..<word.startIndex])
    }
}
