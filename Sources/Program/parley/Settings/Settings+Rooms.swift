import ParleyMessaging
import ParleyModel

extension Settings {
    /// Reads the settings for new rooms.
    static func rooms(_ reader: inout SettingsReader) -> RoomSettings {
        var rooms = RoomSettings()
        rooms.makers = choice(
            &reader, "rooms.makers", rooms.makers,
            "Users who may create rooms. Imports, API keys and `parley admin` always may.")
        rooms.visibility = choice(
            &reader, "rooms.default_visibility", rooms.visibility, "Visibility of a room that is created without one.")
        rooms.importVisibility = choice(
            &reader, "rooms.import_visibility", rooms.importVisibility,
            "Visibility of a room that is imported without one.")
        return rooms
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ reader: inout SettingsReader, _ name: String, _ standard: Choice, _ summary: String
    ) -> Choice {
        let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        let text = reader.text(
            name, standard.rawValue, allowed: allowed, summary, isAllowed: { Choice(rawValue: $0) != nil })
        return Choice(rawValue: text) ?? standard
    }
}
