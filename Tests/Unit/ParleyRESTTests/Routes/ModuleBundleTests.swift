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
                const $ = [];
                $[0] = (() => {
                const d = 1;
                class E {}
                return { d, E };
                })();
                $[1] = (() => {
                const { d } = $[0];
                const a = d;
                function b() {}
                return { a, b };
                })();
                $[2] = (() => {
                const { a, b: c } = $[1];
                const two = $[0];
                c(two.d, a);
                return {  };
                })();

                """)
    }

    @Test(
        "refuses what it does not understand",
        arguments: [
            "import './one.js';", "import one from './one.js';", "import { a,", "export default 1;",
            "export let a = 1;",
            "export * from './one.js';", "export const { a } = {};",
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
