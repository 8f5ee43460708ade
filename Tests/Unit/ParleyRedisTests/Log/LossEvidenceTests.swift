import ParleyModel
import ParleyRedis
import ParleyRedisClient
import Testing

@Suite("What a Redis shows that has been restarted or replaced")
struct LossEvidenceTests {
    private let checkpoint = IngestCheckpoint(incarnation: "stream.server", offset: "1000-3")

    @Test(
        "an ingest stream that has neither the last stored entry nor a record above it has lost it",
        arguments: [
            (LossEvidence(unstored: "1000-4", hasLastStored: false), false),
            (LossEvidence(unstored: "2000-0", hasLastStored: false), false),
            // Stored, and not trimmed yet.
            (LossEvidence(unstored: "900-1", hasLastStored: true), false),
            (LossEvidence(unstored: nil, hasLastStored: true), false),
            (LossEvidence(unstored: "1000-3", hasLastStored: false), true),
            (LossEvidence(unstored: "900-9", hasLastStored: false), true),
            (LossEvidence(unstored: nil, hasLastStored: false), true),
            (LossEvidence(unstored: "nonsense", hasLastStored: false), true),
        ])
    func evidence(_ evidence: LossEvidence, _ isLost: Bool) {
        #expect(evidence.showsLoss(of: checkpoint) == isLost)
    }

    @Test("a restart and a promotion are other incarnations, and a server that does not tell has one")
    func incarnations() {
        let first = ServerIncarnation(process: "p", replication: "r")
        #expect(first == ServerIncarnation(process: "p", replication: "r"))
        for other in [
            ServerIncarnation(process: "q", replication: "r"), ServerIncarnation(process: "p", replication: "s"),
        ] {
            #expect(other.mark != first.mark && other.server != first.server)
            #expect(!other.canRead(first.mark) && !other.canRead(first.readMark))
        }
        #expect(first.canRead(first.mark) && first.canRead(first.readMark) && first.mark != first.readMark)
        #expect(first.mark.utf8.count == 8 && first.readMark.utf8.count == 8)
        let silent = ServerIncarnation(process: "", replication: "")
        #expect(silent.server == nil && silent.mark.utf8.count == 8)
    }
}
