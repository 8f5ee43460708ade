import ParleyTerminal
import Testing

@Suite struct PainterTests {
    @Test("only lines that differ are drawn, each from its first column")
    func difference() {
        var painter = Painter(hasColors: true)
        let first = painter.paint(Frame(lines: [[Span("a")], [Span("b")]]))
        #expect(first.contains("\u{1B}[2J") && first.contains("\u{1B}[1;1H\u{1B}[0m\u{1B}[Ka"))
        let second = painter.paint(Frame(lines: [[Span("a")], [Span("c")]], cursor: (1, 4)))
        #expect(second == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[0m\u{1B}[Kc\u{1B}[2;5H\u{1B}[?25h")
        painter.reset()
        #expect(painter.paint(Frame(lines: [[Span("a")], [Span("c")]])).contains("\u{1B}[2J"))
    }

    @Test("styles end where they should, and colours can be left out")
    func styles() {
        let line = [Span("a", Style(.red, bold: true)), Span("b"), Span("c", .reversed, column: 9)]
        var colored = Painter(hasColors: true)
        #expect(colored.paint(Frame(lines: [line])).hasSuffix("\u{1B}[0;1;31ma\u{1B}[0mb\u{1B}[0;7m\u{1B}[10Gc"))
        var plain = Painter(hasColors: false)
        let output = plain.paint(Frame(lines: [line]))
        #expect(output.hasSuffix("\u{1B}[0;1ma\u{1B}[0mb\u{1B}[0;7m\u{1B}[10Gc"))
    }

    @Test("a resized screen is drawn anew")
    func resize() {
        var painter = Painter(hasColors: true)
        _ = painter.paint(Frame(lines: [[Span("a")], []]))
        #expect(painter.paint(Frame(lines: [[Span("a")]])).contains("\u{1B}[2J"))
    }
}
