import ParleyMessaging
import ParleyModel
import Testing

@Suite struct MessagingErrorTests {
    @Test(
        "violations of a role are forbidden, messages that are gone are not found", arguments: RightsViolation.allCases)
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
