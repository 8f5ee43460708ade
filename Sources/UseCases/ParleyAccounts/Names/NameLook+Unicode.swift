import Foundation
package import ParleyModel

extension NameLook {
    /// The look of any name.
    ///
    /// Compared are the skeletons (UTS 39) of two forms: of the name in lower case, and of its skeleton in lower case.
    /// The second form covers capitals: `Вob` in Cyrillic looks like `Bob`, although their lower cases differ.
    package init(of name: String) {
        let compatible = name.precomposedStringWithCompatibilityMapping
        let table = ConfusableTable.shared
        self.init(
            shapes: [
                table.skeleton(of: NameFold.folded(compatible)),
                table.skeleton(of: NameFold.folded(table.skeleton(of: compatible))),
            ],
            plain: compatible.utf8.allSatisfy { $0 < 0x80 } ? compatible.lowercased() : nil)
    }
}

/// One form for all names that differ only in width, case or characters that show nothing.
enum NameFold {
    /// As NFKC_Casefold of Unicode; by way of upper case, since `ß` and `ſ` fold there.
    static func folded(_ name: String) -> String {
        let shown = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        return String(String.UnicodeScalarView(shown)).precomposedStringWithCompatibilityMapping.uppercased()
            .lowercased().precomposedStringWithCompatibilityMapping
    }
}
