import ParleyMessaging
import ParleyModel
import Testing

@Suite struct MessagingErrorTests {
    @Test("what a role forbids is forbidden, what is gone is not found", arguments: RightsViolation.allCases)
    func rights(_ violation: RightsViolation) {
        switch MessagingError(violation) {
        case .notFound(let text):
            #expect(violation == .goneMessage)
            #expect(text == violation.explanation)
        case .forbidden(let text):
            #expect(violation != .goneMessage)
            #expect(text == violation.explanation)
        default: Issue.record("\(violation) became another kind of error")
        }
    }
}
