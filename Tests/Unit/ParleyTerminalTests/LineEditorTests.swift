import ParleyTerminal
import Testing

@Suite struct LineEditorTests {
    private func type(_ keys: [Key], into text: String = "") -> LineEditor {
        var editor = LineEditor(text)
        for key in keys { _ = editor.handle(key) }
        return editor
    }

    @Test("characters are inserted and deleted at the cursor, as people see them")
    func insert() {
        #expect(type([.text("a"), .text("c"), .left, .text("b")]).text == "abc")
        #expect(type([.backspace], into: "👨‍👩‍👧").isEmpty)
        #expect(type([.text("e"), .text("\u{301}"), .backspace]).isEmpty)
        #expect(type([.text("🇨"), .text("🇭"), .left, .text("x")]).text == "x🇨🇭")
        #expect(type([.home, .delete], into: "abc").text == "bc")
        #expect(type([.left, .left, .left, .left, .right, .delete, .right, .delete], into: "ab").text == "a")
        #expect(type([.newline], into: "a").text == "a\n")
    }

    @Test("words: moves and deletions")
    func words() {
        #expect(type([.wordLeft, .text("|")], into: "one two").text == "one |two")
        #expect(type([.wordLeft, .wordLeft, .text("|")], into: "one  two ").text == "|one  two ")
        #expect(type([.home, .wordRight, .text("|")], into: "one two").text == "one| two")
        #expect(type([.control("w")], into: "one two  ").text == "one ")
        #expect(type([.home, .alt("d")], into: "one two").text == " two")
        #expect(type([.control("w"), .home, .control("y")], into: "one two").text == "twoone ")
        #expect(type([.wordLeft, .control("k"), .control("y"), .control("y")], into: "one two").text == "one twotwo")
        #expect(type([.wordLeft, .control("u")], into: "one two").text == "two")
    }

    @Test("home and end stay in their line")
    func lines() {
        #expect(type([.home, .text("|")], into: "one\ntwo").text == "one\n|two")
        #expect(type([.home, .left, .end, .text("|")], into: "one\ntwo").text == "one|\ntwo")
    }

    @Test("what was sent is recalled, and what was being written comes back")
    func history() {
        var editor = LineEditor()
        for text in ["one", "two", "two"] {
            editor.set(text)
            _ = editor.submit()
        }
        editor.set("draft")
        var seen: [String] = []
        for _ in 0..<3 {
            editor.showPrevious()
            seen.append(editor.text)
        }
        for _ in 0..<3 {
            editor.showNext()
            seen.append(editor.text)
        }
        #expect(seen == ["two", "one", "one", "two", "draft", "draft"])
    }

    @Test("a text has at most as many characters as the server takes, and a paste no control characters")
    func limits() {
        #expect(type([.paste(String(repeating: "x", count: 10_000))]).text.count == LineEditor.defaultLimit)
        var editor = LineEditor()
        editor.limit = 5000
        _ = editor.handle(.paste(String(repeating: "x", count: 10_000)))
        #expect(editor.text.count == 5000)
        #expect(type([.paste("a\u{1B}[31m\tb\r\nc")]).text == "a␛[31m    b\nc")
        #expect(type([.paste(String(repeating: "x", count: 4095)), .text("👨‍👩‍👧")]).text.unicodeScalars.count == 4096)
    }

    @Test("rows of the text and the place of the cursor")
    func layout() {
        let wide = type([.left], into: "日本語").layout(width: 5)
        #expect(wide.rows == ["日本", "語"] && wide.row == 0 && wide.column == 4)
        let full = LineEditor("abcd").layout(width: 4)
        #expect(full.rows == ["abcd", ""] && full.row == 1 && full.column == 0)
        let lines = LineEditor("ab\n").layout(width: 4)
        #expect(lines.rows == ["ab", ""] && lines.row == 1 && lines.column == 0)
    }
}
