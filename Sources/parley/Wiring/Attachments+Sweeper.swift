import ParleyMessaging
import ParleyPersister

extension Attachments {
    /// The service that removes what nothing refers to.
    func makeSweeper(_ parts: Parts) -> AttachmentSweeper {
        AttachmentSweeper(
            store: store, blobs: blobs, orphanMilliseconds: settings.orphanMilliseconds, clock: parts.clock,
            logger: parts.logger)
    }
}
