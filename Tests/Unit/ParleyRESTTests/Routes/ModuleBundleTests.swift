import ParleyREST
import Testing

@Suite("The bundle of modules")
struct ModuleBundleTests {
    private func bundle(_ modules: [String: String]) throws -> String {
        try ModuleBundle(entry: "app/main.js", source: { modules[$0] }).text
    }

    @Test("has each module once, after what it imports, with its exports")
    func order() throws {
        let text = try bundle([
            "app/main.js":
                "// Says it.\nimport { a, b as c } from './one.js';\nimport * as two from '../two.js';\nc(two.d, a);\n",
            "app/one.js": "import { d } from '../two.js';\nexport const a = d;\nexport function b() {}\n",
            "two.js": "/** A number.\n * @returns one */\nconst d = 1;\nexport { d };\nexport class E {}\n",
        ])
        #expect(
            text == """
                const $ = {};
                $["two.js"] = (() => {
                const d = 1;
                class E {}
                return { d, E };
                })();
                $["app/one.js"] = (() => {
                const { d } = $["two.js"];
                const a = d;
                function b() {}
                return { a, b };
                })();
                $["app/main.js"] = (() => {
                const { a, b: c } = $["app/one.js"];
                const two = $["two.js"];
                c(two.d, a);
                return {  };
                })();

                """)
    }

    @Test("has a script of its own for a module that is loaded later, with the modules that only it imports")
    func later() throws {
        let modules = [
            "app/main.js":
                "import { a } from './one.js';\nasync function f() {\n  const two = await import('./two.js');\n}\n",
            "app/one.js": "export const a = 1;\n",
            "app/two.js": "import { a } from './one.js';\nimport { b } from '../three.js';\nexport const c = a + b;\n",
            "three.js": "export const b = 2;\n",
        ]
        let bundle = try ModuleBundle(entry: "app/main.js", source: { modules[$0] })
        let lines = bundle.text.split(separator: "\n")
        #expect(lines.contains("const two = await import('./two.bundle.js');"))
        #expect(lines.last == "export { $ };")
        #expect(!bundle.text.contains("three.js"))
        let version = try #require(bundle.text.firstMatch(of: /\$\.version = "([0-9a-f]{32})";/)?.output.1)
        #expect(
            bundle.parts == [
                "app/two.bundle.js": """
                import { $ } from './bundle.js';
                if ($.version !== "\(version)") throw new Error("another version");
                $["three.js"] = (() => {
                const b = 2;
                return { b };
                })();
                $["app/two.js"] = (() => {
                const { a } = $["app/one.js"];
                const { b } = $["three.js"];
                const c = a + b;
                return { c };
                })();
                export const { c } = $["app/two.js"];

                """
            ])
        var changed = modules
        changed["app/one.js"] = "export const a = 3;\n"
        let other = try ModuleBundle(entry: "app/main.js", source: { changed[$0] })
        #expect(other.parts["app/two.bundle.js"]?.contains(version) == false)
    }

    @Test("has scripts of their own for several modules that share others and load each other later")
    func several() throws {
        let modules = [
            "app/main.js": "await import('./one.js');\nawait import('./two.js');\n",
            "app/one.js": "import { s } from './shared.js';\nexport const a = () => await import('./two.js');\n",
            "app/two.js": "import { s } from './shared.js';\nawait import('./one.js');\n",
            "app/shared.js": "export const s = 1;\n",
        ]
        let parts = try ModuleBundle(entry: "app/main.js", source: { modules[$0] }).parts
        #expect(Set(parts.keys) == ["app/one.bundle.js", "app/two.bundle.js"])
        for part in parts.values { #expect(part.contains("$[\"app/shared.js\"] = ")) }
        #expect(parts["app/one.bundle.js"]?.contains("await import('./two.bundle.js');") == true)
    }

    @Test(
        "refuses what it does not understand",
        arguments: [
            "import './one.js';", "import one from './one.js';", "import { a,", "export default 1;",
            "export let a = 1;",
            "export * from './one.js';", "export const { a } = {};", "await import('../one.js');",
            "await import('./more/one.js');", "await import('./one.mjs');",
        ])
    func form(line: String) {
        #expect(throws: ModuleBundle.Failure.form("app/main.js", line: line)) {
            try bundle(["app/main.js": line, "app/one.js": ""])
        }
    }

    @Test("refuses modules that import each other, and modules that do not exist")
    func graph() {
        #expect(throws: ModuleBundle.Failure.cycle("app/main.js")) {
            try bundle(["app/main.js": "import { a } from './one.js';", "app/one.js": "import { b } from './main.js';"])
        }
        #expect(throws: ModuleBundle.Failure.missing("app/one.js")) {
            try bundle(["app/main.js": "import { a } from './one.js';"])
        }
    }
}
