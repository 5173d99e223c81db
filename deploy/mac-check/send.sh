# What is sent back: read by mac-check.sh.
# shellcheck shell=sh disable=SC2154

# The home folder and the machine's name go, and what looks like a secret.
redact() {
    LC_ALL=C sed -E -e "s/$(pattern_of "$HOME")/~/g" \
        -e "s/$(pattern_of "$(hostname | cut -d. -f1)")/HOST/g" \
        -e 's#(://)[^/@[:space:]]+@#\1[removed]@#g' \
        -e 's/([Bb]earer +|[Aa]uthorization: *)[^"]*/\1[removed]/g' \
        -e 's/(gh[pousr]_|github_pat_|glpat-|xox[abp]-)[A-Za-z0-9_-]+/[removed]/g' \
        -e 's/(([Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Aa][Ss][Ss][Ww][Oo][Rr][Dd])"?[=:] ?"?)[^"[:space:]]+/\1[removed]/g'
}
# A pattern for a text; one that is too short to mean only itself is left alone.
pattern_of() {
    case $1 in
    ????*) printf '%s' "$1" | sed 's/[][\\.*^$+?(){}|/]/\\&/g' ;;
    *) printf 'no such text' ;;
    esac
}

# The texts, and the pictures that were recorded.
names_to_send() {
    cd "$scratch" || return
    find report.txt versions.txt steps trace out app/.snapfarm -type f \
        \( -name '*.txt' -o -name '*.log' -o -name '*.json' -o -name '*.xml' -o -name '*.md' \
        -o -name '*.xctestrun' \) 2>/dev/null | grep -v -e '/Intermediates' -e '/Build/Products/.*/'
    find out/record/captures -type f -name '*.png' 2>/dev/null
}
collect() {
    names_to_send | while IFS= read -r name; do
        to=$scratch/send/mac-check/$name
        mkdir -p "$(dirname "$to")"
        case $name in
        *.png) cp "$scratch/$name" "$to" ;;
        *) redact <"$scratch/$name" >"$to" ;;
        esac
    done
    mkdir -p "$(dirname "$zip")"
    rm -f "$zip"
    (cd "$scratch/send" && zip -qr "$zip" mac-check)
}
