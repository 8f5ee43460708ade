/// One script made of a module and all modules that it imports. Browsers would load the modules one after another, since they
/// find each import only in the module before.
///
/// Each source becomes a function that is called once, in the order of the imports, and returns the module's exports; its
/// number is its place in this order. Comments on lines of their own and indentation are removed, so a template literal must
/// be on one line. The bundle supports the forms that the modules of the web client use, and rejects all others: an import or
/// an export is on one line, imports list names or import everything (`* as`), exports are `const`, `function`, `class` or a
/// list, and modules do not import each other in cycles.
package struct ModuleBundle {
    package enum Failure: Error, Hashable {
        case missing(String)
        case cycle(String)
        /// A line in another form than those above.
        case form(String, line: String)
    }

    /// The script.
    package private(set) var text = "const $ = [];\n"
    private var numbers: [String: Int] = [:]
    private var open: Set<String> = []
    private let source: (String) -> String?

    /// - Parameters:
    ///   - entry: The name of the first module, such as `app/main.js`.
    ///   - source: The text of a module.
    package init(entry: String, source: @escaping (String) -> String?) throws(Failure) {
        self.source = source
        _ = try add(entry)
    }

    /// Adds a module and all that it imports, unless they are there, and returns its number.
    private mutating func add(_ name: String) throws(Failure) -> Int {
        if let number = numbers[name] { return number }
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
                if let rest { lines.append(rest) }
                exports += names
            } else if !line.isEmpty {
                lines.append(content)
            }
        }
        let number = numbers.count
        text += "$[\(number)] = (() => {\n\(lines.joined(separator: "\n"))\n"
        text += "return { \(exports.joined(separator: ", ")) };\n})();\n"
        numbers[name] = number
        return number
    }

    /// Returns the statement that replaces an import, after the imported module.
    private mutating func imported(_ line: Substring, by name: String) throws(Failure) -> String {
        let parts = line.dropFirst(7).split(separator: " from '")
        guard parts.count == 2, parts[1].hasSuffix("';"), let what = Self.pattern(parts[0]) else {
            throw .form(name, line: String(line))
        }
        let number = try add(Self.resolve(parts[1].dropLast(2), from: name))
        return "const \(what) = $[\(number)];"
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
