import ParleyJSON
import ParleyModel

/// The subset of YAML that plans need: lines of `key: value`, comments, and empty lines.
///
/// Values are integers and other numbers, `true` and `false`, and strings, quoted or not. Other YAML (lists, nesting,
/// anchors, several documents) is an error that names the line.
enum FlatYAML {
    static func members(_ file: [UInt8]) throws(PlanError) -> [JSONTree.Member] {
        guard let text = String(validating: file, as: UTF8.self) else { throw PlanError("the plan is no UTF-8 text") }
        var members: [JSONTree.Member] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let place = "line \(index + 1) of the plan"
            guard let (key, rest) = try pair(line, place) else { continue }
            guard !members.contains(where: { $0.key == key }) else {
                throw PlanError("\(place): \(key) is there twice")
            }
            members.append(JSONTree.Member(key, try value(rest, place)))
        }
        guard !members.isEmpty else { throw PlanError("the plan is empty") }
        return members
    }

    /// - Returns: `nil` for an empty line or a comment.
    private static func pair(_ line: Substring, _ place: String) throws(PlanError) -> (String, Substring)? {
        let line = line.trimmingSuffix(while: \.isWhitespace)
        if line == "---" || line.drop(while: \.isWhitespace).prefix(1).allSatisfy({ $0 == "#" }) { return nil }
        guard line.first?.isWhitespace == false else {
            throw PlanError("\(place) is indented; a plan has no parts inside of others")
        }
        guard let match = line.wholeMatch(of: /([A-Za-z][A-Za-z-]*)\s*:(\s.*)?/) else {
            throw PlanError("\(place) is none of the form \"key: value\"")
        }
        return (String(match.1), (match.2 ?? "").drop(while: \.isWhitespace))
    }

    private static func value(_ text: Substring, _ place: String) throws(PlanError) -> JSONTree {
        if let quote = text.first, quote == "\"" || quote == "'" {
            let inner = text.dropFirst()
            guard let end = inner.firstIndex(of: quote), !inner[..<end].contains("\\"),
                isComment(inner[inner.index(after: end)...])
            else { throw PlanError("\(place): the text does not end where its line does") }
            return .text(String(inner[..<end]))
        }
        // A comment begins with a space and a number sign.
        let plain = (text.firstRange(of: /\s#/).map { text[..<$0.lowerBound] } ?? text)
            .trimmingSuffix(while: \.isWhitespace)
        switch plain {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "", "~", "null": throw PlanError("\(place) has no value")
        default: break
        }
        if let first = plain.first, "[{&*!|>@%`#-".contains(first), Double(plain) == nil {
            throw PlanError("\(place): a plan has only numbers, texts, true and false")
        }
        if let whole = Int64(plain) { return .integer(whole) }
        if let number = Double(plain), number.isFinite { return .number(number) }
        return .text(String(plain))
    }

    private static func isComment(_ rest: Substring) -> Bool {
        let rest = rest.drop(while: \.isWhitespace)
        return rest.isEmpty || rest.first == "#"
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isGone: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isGone(last) { rest = rest.dropLast() }
        return rest
    }
}
