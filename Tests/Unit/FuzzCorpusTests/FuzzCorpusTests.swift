import Foundation
import ParleyFuzzTargets
import ParleyTestSupport
import Testing

/// The inputs of Fuzz/corpus, in the build that is shipped: what libFuzzer has found once is not lost.
@Suite struct FuzzCorpusTests {
    @Test("every input of the corpus is read or refused", arguments: FuzzTarget.allCases)
    func inputs(target: FuzzTarget) throws {
        let folder = Repository.url("Fuzz/corpus/\(target.rawValue)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty, "make fuzz, and keep some of Fuzz/.build/corpus/\(target.rawValue)")
        for file in files {
            let bytes = Array(try Data(contentsOf: file))
            do {
                try target.run(bytes)
                // Cut inputs reach what whole ones do not.
                for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 4)) {
                    try target.run(Array(bytes.prefix(count)))
                }
            } catch {
                Issue.record("\(target.rawValue)/\(file.lastPathComponent): \(error)")
            }
        }
    }

    @Test("every folder of the corpus belongs to a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Repository.url("Fuzz/corpus").path())
        #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
    }
}
