// What somebody who misspelt a word may have meant.

/// The known word nearest to a misspelt one: at most a third of its letters may differ.
package func nearest(_ word: String, among known: [String]) -> String? {
    // A word that long is not misspelt.
    guard word.utf8.count <= 200 else { return nil }
    let ranked = known.map { (distance(word.lowercased(), $0.lowercased()), $0) }
    guard let best = ranked.min(by: { $0.0 < $1.0 }) else { return nil }
    return best.0 <= max(1, word.count / 3) ? best.1 : nil
}

/// Levenshtein's distance.
private func distance(_ left: String, _ right: String) -> Int {
    let target = Array(right)
    var row = Array(0...target.count)
    for (i, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for j in target.indices {
            let cost = letter == target[j] ? diagonal : diagonal + 1
            diagonal = row[j + 1]
            row[j + 1] = min(cost, row[j] + 1, diagonal + 1)
        }
    }
    return row[target.count]
}
