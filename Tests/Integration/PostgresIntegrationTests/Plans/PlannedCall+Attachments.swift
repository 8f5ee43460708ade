import ParleyPostgres
import ParleyTestContracts

/// Every statement of `AttachmentStore` that finds or changes rows.
extension PlannedCall {
    private static let files = Parameter.texts(["f1", "f2", "none"])

    static let attachments: [PlannedCall] = [
        PlannedCall(testDescription: "the files of a user", call: AttachmentQueries.usage(.text("u7"))),
        PlannedCall(testDescription: "a file", call: AttachmentQueries.find(.text("f7"))),
        PlannedCall(
            testDescription: "a file for a member", call: AttachmentQueries.findReadable(.text("f7"), .text("busy"))),
        PlannedCall(
            testDescription: "uses of a file that are not confirmed",
            call: AttachmentQueries.unconfirmed(.text("f7"), .text("busy"), .int(8))),
        PlannedCall(
            testDescription: "progress",
            call: AttachmentQueries.advance(.text("f7"), .int(0), .int(5), .text(nil), .int(9))),
        PlannedCall(
            testDescription: "the end of an upload",
            call: AttachmentQueries.complete(.text("f7"), .text("s"), .int(1), .int(2), .int(9))),
        PlannedCall(testDescription: "usable files", call: AttachmentQueries.findUsable(files, .text("u7"))),
        PlannedCall(testDescription: "files in use", call: AttachmentQueries.keep(files)),
        PlannedCall(
            testDescription: "the uses of a message", call: AttachmentQueries.forgetUses(.text("r7"), .text("m7"))),
        PlannedCall(testDescription: "files to send again", call: AttachmentQueries.postpone(files, .int(9))),
        PlannedCall(
            testDescription: "an avatar",
            call: AttachmentQueries.setProfile(
                .text(nil), .text("/v1/attachments/f7"), .text("u7"), .text("f7"))),
        PlannedCall(testDescription: "a held file", call: AttachmentQueries.hold(.text("f7"), .text("u8"))),
        PlannedCall(testDescription: "a discarded file", call: AttachmentQueries.discard(.text("f7"))),
        PlannedCall(
            testDescription: "uses to check",
            call: AttachmentQueries.checkUses(.int(20_000), .int(30_000), .int(100)), messages: 100),
        PlannedCall(testDescription: "due files", call: AttachmentQueries.holdDue(.int(20_000), .int(100))),
        PlannedCall(testDescription: "due files in use", call: AttachmentQueries.keepUsed(files)),
        PlannedCall(testDescription: "removals", call: AttachmentQueries.beginRemoval(files, .int(9))),
        PlannedCall(testDescription: "removed files", call: AttachmentQueries.delete(files)),
    ]
}
