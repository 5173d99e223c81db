// The app that deploy/mac-check.sh tests. The script edits two of its texts: the colour, which
// changes every picture, and the word for nothing, which one test looks for.
import SwiftUI
import UIKit

@main
struct MacCheckApp: App {
    var body: some Scene { WindowGroup { Text(cartText(items: 2)) } }
}

func cartText(items: Int) -> String { items == 0 ? "empty" : "\(items) in the cart" }

@MainActor
func cartLabel(items: Int) -> UILabel {
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 200, height: 60))
    label.text = cartText(items: items)
    label.textAlignment = .center
    label.textColor = .label
    label.backgroundColor = .systemBackground
    return label
}
