import ParleyModel

/// One script made of a module and all modules that it imports. Browsers would load the modules one after another, since they
/// find each import only in the module before.
///
/// Each source becomes a function that is called once, in the order of the imports, and returns the module's exports. Comments
/// on lines of their own and indentation are removed, so a template literal must be on one line. The bundle supports the forms
/// that the modules of the web client use, and rejects all others: an import or an export is on one line, imports list names or
/// import everything (`* as`), exports are `const`, `function`, `class` or a list, and modules do not import each other in
/// cycles.
///
/// A module that is loaded when it is needed, by `await import('./NAME.js')` in the same folder, is a script of its own beside
/// the first one, `NAME.bundle.js`, with the modules that only it imports. It refuses to run beside a script of another version.
package struct ModuleBundle {
    package enum Failure: Error, Hashable {
        case missing(String)
        case cycle(String)
        /// A line in another form than those above.
        case form(String, line: String)
    }

    /// The name of the script, which the scripts of modules that are loaded later import.
    private static let script = "bundle.js"
    private static let later = "await import('"

    /// The script.
    package private(set) var text = "const $ = {};\n"
    /// The scripts of the modules that are loaded later, by name, such as `app/viewRoom.bundle.js`.
    package private(set) var parts: [String: String] = [:]
    private var finished: [String: [String]] = [:]
    private var open: Set<String> = []
    private var waiting: [String] = []
    private let folder: [Substring]
    private let source: (String) -> String?

    /// - Parameters:
    ///   - entry: The name of the first module, such as `app/main.js`.
    ///   - source: The text of a module.
    package init(entry: String, source: @escaping (String) -> String?) throws(Failure) {
        self.source = source
        folder = Self.folder(of: entry)
        try add(entry)
        guard !waiting.isEmpty else { return }
        let (main, known) = (text, finished)
        let version = FNV1a128.hex(of: main)
        while let name = waiting.popLast() {
            guard parts[Self.part(of: name)] == nil else { continue }
            finished = known
            text = "import { $ } from './\(Self.script)';\n"
            text += "if ($.version !== \"\(version)\") throw new Error(\"another version\");\n"
            try add(name)
            let exports = finished[name] ?? []
            parts[Self.part(of: name)] =
                text + "export const { \(exports.joined(separator: ", ")) } = $[\"\(name)\"];\n"
        }
        text = main + "$.version = \"\(version)\";\nexport { $ };\n"
    }

    private mutating func add(_ name: String) throws(Failure) {
        guard finished[name] == nil else { return }
        guard open.insert(name).inserted else { throw .cycle(name) }
        guard let source = source(name) else { throw .missing(name) }
        var (lines, exports): ([Substring], [String]) = ([], [])
        var isComment = false
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            if content.hasPrefix("/**") { isComment = true }
            if isComment || content.hasPrefix("//") {
                if content.hasSuffix("*/") { isComment = false }
                continue
            }
            if line.hasPrefix("import ") {
                lines.append(Substring(try imported(line, by: name)))
            } else if line.hasPrefix("export ") {
                guard let (rest, names) = Self.exported(line.dropFirst(7)) else {
                    throw .form(name, line: String(line))
                }
                if let rest { lines.append(try withParts(rest, of: name)) }
                exports += names
            } else if !line.isEmpty {
                lines.append(try withParts(content, of: name))
            }
        }
        text += "$[\"\(name)\"] = (() => {\n\(lines.joined(separator: "\n"))\n"
        text += "return { \(exports.joined(separator: ", ")) };\n})();\n"
        finished[name] = exports
        open.remove(name)
    }

    /// Returns a line of a module that names the script of a module in place of the module.
    private mutating func withParts(_ line: Substring, of name: String) throws(Failure) -> Substring {
        guard let begin = line.firstRange(of: Self.later) else { return line }
        let rest = line[begin.upperBound...]
        guard rest.hasPrefix("./"), let end = rest.firstRange(of: ".js')"),
            !rest[..<end.lowerBound].dropFirst(2).contains("/"), Self.folder(of: name) == folder
        else { throw .form(name, line: String(line)) }
        waiting.append(Self.resolve(rest[..<end.lowerBound], from: name) + ".js")
        return "\(line[..<end.lowerBound]).bundle\(line[end.lowerBound...])"
    }

    private static func part(of name: String) -> String { "\(name.dropLast(3)).bundle.js" }

    private static func folder(of name: String) -> [Substring] { name.split(separator: "/").dropLast() }

    /// Returns the statement that replaces an import, after the imported module.
    private mutating func imported(_ line: Substring, by name: String) throws(Failure) -> String {
        let parts = line.dropFirst(7).split(separator: " from '")
        guard parts.count == 2, parts[1].hasSuffix("';"), let what = Self.pattern(parts[0]) else {
            throw .form(name, line: String(line))
        }
        let module = Self.resolve(parts[1].dropLast(2), from: name)
        try add(module)
        return "const \(what) = $[\"\(module)\"];"
    }

    private static func pattern(_ names: Substring) -> String? {
        if names.hasPrefix("* as ") { return String(names.dropFirst(5)) }
        guard names.hasPrefix("{ "), names.hasSuffix(" }") else { return nil }
        return names.split(separator: " as ").joined(separator: ": ")
    }

    /// Returns the rest of an export, and the names that it exports.
    private static func exported(_ declaration: Substring) -> (rest: Substring?, names: [String])? {
        if declaration.hasPrefix("{ "), declaration.hasSuffix(" };") {
            return (nil, declaration.dropFirst(2).dropLast(3).split(separator: ", ").map(String.init))
        }
        for keyword in ["const ", "function ", "async function ", "class "] where declaration.hasPrefix(keyword) {
            let name = declaration.dropFirst(keyword.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return name.isEmpty ? nil : (declaration, [String(name)])
        }
        return nil
    }

    /// Returns the name of the module that `name` imports as `path`, which begins with `./` or `../`.
    private static func resolve(_ path: Substring, from name: String) -> String {
        var folders = name.split(separator: "/").dropLast()
        for part in path.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": folders = folders.dropLast()
            default: folders.append(part)
            }
        }
        return folders.joined(separator: "/")
    }
}
