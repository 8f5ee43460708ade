extension Report {
    /// One self-contained page.
    package var html: String { "<pre>\(table)</pre>" }
}
