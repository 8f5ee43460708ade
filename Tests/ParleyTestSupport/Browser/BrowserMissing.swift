/// There is no browser to test with. The tests fail rather than being skipped.
package struct BrowserMissing: Error, CustomStringConvertible {
    /// The program that is not on the `PATH`.
    package let program: String

    package var description: String {
        "\(program) is not installed; the browser tests need Debian's packages chromium and chromium-driver "
            + "(apt-get install chromium chromium-driver; make test does it)"
    }
}
