import Foundation

/// A phrase in comments that reads as translated. CONTRIBUTING.md lists all of them, with better wordings.
struct CommentPattern: Sendable {
    let name: String
    private let expression: NSRegularExpression

    /// - Parameter pattern: A regular expression for one line of a comment, without its marker.
    private init(_ name: String, _ pattern: String) {
        self.name = name
        do {
            expression = try NSRegularExpression(pattern: pattern, options: .caseInsensitive)
        } catch {
            preconditionFailure("a pattern of this file is invalid")
        }
    }

    func matches(_ line: String) -> Bool {
        expression.firstMatch(in: line, range: NSRange(line.startIndex..., in: line)) != nil
    }

    /// Patterns for all lines.
    static let all: [CommentPattern] = [
        CommentPattern("of which", #"\bof (which|whom|whose)\b"#),
        CommentPattern("for ever", #"\bfor ever\b"#),
        CommentPattern("any more", #"\bany more(?=\s*([.,;:)]|$))"#),
        CommentPattern("is away", #"\b(is|are|was|were|been) away\b"#),
        CommentPattern("how far", #"\bhow far\b"#),
        CommentPattern("has come", #"\b(has|have|had) come\b"#),
        CommentPattern("whoever", #"\b(whoever|whomever|whichever|whatever (is|was))\b"#),
        CommentPattern("those that", #"\bthose (that|who|of|which|in|at|with)\b"#),
        CommentPattern("is that of", #"\b(is|are|as|than|with|from|to|by|in|not) that of\b"#),
        CommentPattern("the one that", #"\bthe ones? (that|who|of)\b"#),
        CommentPattern("nobody", #"\b(nobody|somebody)\b"#),
        CommentPattern("is to be", #"\b(is|are|was|were) to be\b"#),
        CommentPattern("as far as", #"\bas (often|far) as\b"#),
        CommentPattern("anew", #"\b(anew|all the same|meanwhile)\b"#),
        CommentPattern("goes on", #"\b(goes|go|went) on\b(?! to)"#),
        CommentPattern(
            "is no member",
            #"\b(is|are|be) no (member|answer|frame|error|reason|command|id|name|user|file|row|event|key)\b"#),
        CommentPattern("that is none", #"\b(that|which|and) (is|are) none\b"#),
    ]

    /// The first line of a documentation comment that is a question without a question mark, or starts with a genitive.
    static let opener = CommentPattern(
        "opener", #"^(- Returns: |- Parameter \w+: )?(What|Who|Whom|Whose|Why|How|Of|Those)\b(?!.*\?)"#)
}
