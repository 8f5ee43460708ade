/// A key that the user has pressed.
package enum Key: Hashable, Sendable {
    /// Printable characters.
    case text(String)
    /// Pasted text, unchanged.
    case paste(String)
    case enter
    /// Ctrl-J or Alt-Enter.
    case newline
    case tab
    case backTab
    case escape
    case backspace
    case delete
    case up
    case down
    case left
    case right
    /// Left and right with Ctrl or Alt; Alt-B and Alt-F.
    case wordLeft
    case wordRight
    /// Up and down with Ctrl, Alt or Shift.
    case previous
    case next
    case home
    case end
    case pageUp
    case pageDown
    /// A letter with Ctrl.
    case control(Character)
    /// A character with Alt.
    case alt(Character)
    case function(Int)
}
