import ParleyTestSupport

extension ProgramTests.ClientLogicTests {
    static let visibleNames: [Fact] = [
        Fact(
            "what cannot be seen in a name or a title is shown as a mark",
            """
            ['alice\\u3164', 'ann\\u200b', 'evil\\u202etxt', '\\u2800', '\\u{1d159}', '\\ufdd0', 'a\\u200db',
                'ann\\ufe0f', '1\\ufe0f', '\\ufeffx', 'a\\u{e0061}\\u{e007f}', 'so\\xadft'].map(visible.visible)
            """,
            [
                "alice‹U+3164›", "ann‹U+200B›", "evil‹U+202E›txt", "‹U+2800›", "‹U+1D159›", "‹U+FDD0›", "a‹U+200D›b",
                "ann‹U+FE0F›", "1‹U+FE0F›", "‹U+FEFF›x", "a‹U+E0061›‹U+E007F›", "so‹U+00AD›ft",
            ]),
        Fact(
            "joiners and selectors that emoji and scripts need are left alone",
            """
            ['', 'Tea', 'Zo\\u00eb', '\\u65e5\\u672c', '\\u{1f469}\\u200d\\u{1f680}', '\\u2764\\ufe0f', '1\\ufe0f\\u20e3',
                '\\u{1f3f4}\\u{e0067}\\u{e0062}\\u{e0065}\\u{e006e}\\u{e0067}\\u{e007f}', '\\u0645\\u06cc\\u200c\\u062e\\u0648',
                '\\u0915\\u094d\\u200d\\u0937', '\\u845b\\u{e0100}', '\\u{1f3f3}\\ufe0f\\u200d\\u{1f308}']
                .filter((text) => visible.visible(text) !== text)
            """, []),
    ]
}
