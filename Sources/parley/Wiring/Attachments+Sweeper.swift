import ParleyMessaging
import ParleyPersister

extension Attachments {
    /// The service that removes what nothing refers to.
    func makeSweeper(_ parts: Parts) -> AttachmentSweeper {
        AttachmentSweeper(
            store: store, blobs: blobs, uses: uses, clock: parts.clock, logger: parts.logger)
    }
}
