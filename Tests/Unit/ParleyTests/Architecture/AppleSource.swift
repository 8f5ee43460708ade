import Foundation

/// The part of a Swift file that Apple's compilers see, line by line, with the system that each line may rely on.
///
/// A line relies on macOS 13 and iOS 16, or on the systems that the `@available` of its declaration or the
/// `if #available` around it names. Left out are comments, the content of string literals, and branches for Linux.
struct AppleSource {
    struct Line {
        /// The number in the file, beginning with 1.
        let number: Int
        let text: String
        /// The version of macOS that the line may rely on.
        let macOS: Double
    }

    /// The oldest version of macOS that Package.swift names.
    static let oldest = 13.0

    let lines: [Line]

    init(_ text: String) {
        var branches: [Bool] = []
        var guards = GuardStack()
        var lines: [Line] = []
        for (index, line) in SourceCode(text).lines.enumerated() {
            let code = line.trimmingCharacters(in: .whitespaces)
            if let condition = code.firstMatch(of: /^#(if|elseif|else|endif)\b *(.*)$/) {
                switch condition.1 {
                case "if": branches.append(Self.isForApple(String(condition.2)))
                case "elseif": branches.append(branches.popLast() != nil && Self.isForApple(String(condition.2)))
                case "else": branches.append(!(branches.popLast() ?? false))
                default: branches.removeLast()
                }
                continue
            }
            guard !branches.contains(false) else { continue }
            lines.append(Line(number: index + 1, text: code, macOS: guards.version(of: code)))
        }
        self.lines = lines
    }

    private static func isForApple(_ condition: String) -> Bool {
        let linux = ["os(Linux)", "canImport(FoundationNetworking)", "canImport(Glibc)", "canImport(Musl)"]
        return !linux.contains(condition)
    }

    /// The guards around a line, outermost first.
    private struct GuardStack {
        private var guards: [(macOS: Double, depth: Int)] = []
        /// A guard whose declaration or block has not begun.
        private var pending: Double?
        private var depth = 0

        /// Returns the version of macOS that the line may rely on, and enters and leaves what begins and ends on it.
        mutating func version(of code: String) -> Double {
            if let guarded = code.firstMatch(of: /(?:@|if #)available\(.*\bmacOS ([0-9.]+)/) {
                pending = Double(guarded.1) ?? AppleSource.oldest
            }
            let isAttribute = code.wholeMatch(of: /@\w+(\(.*\))?/) != nil
            let version = max(guards.last?.macOS ?? AppleSource.oldest, pending ?? 0)
            for character in code {
                if character == "{" {
                    depth += 1
                    if let macOS = pending {
                        guards.append((max(macOS, guards.last?.macOS ?? 0), depth))
                        pending = nil
                    }
                } else if character == "}" {
                    if guards.last?.depth == depth { guards.removeLast() }
                    depth -= 1
                }
            }
            // A declaration without a body ends with its line.
            if !isAttribute, !code.hasSuffix("("), !code.hasSuffix(",") { pending = nil }
            return version
        }
    }
}
