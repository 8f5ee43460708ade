import ParleyMessaging
import ParleyModel
import Testing

@Suite struct MessagingErrorTests {
    @Test("what a role forbids is forbidden, what is gone is not found", arguments: RightsFlaw.allCases)
    func rights(_ flaw: RightsFlaw) {
        switch MessagingError(flaw) {
        case .notFound(let text):
            #expect(flaw == .goneMessage)
            #expect(text == flaw.explanation)
        case .forbidden(let text):
            #expect(flaw != .goneMessage)
            #expect(text == flaw.explanation)
        default: Issue.record("\(flaw) became another kind of error")
        }
    }
}
