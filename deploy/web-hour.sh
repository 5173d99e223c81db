#!/bin/sh
# A newcomer's first hour with web pages, as a script: five pages of one's own behind a server for
# development, whole pages, a step, a typo that is looked at, a change that is found and approved.
#
#     deploy/web-hour.sh [PROGRAM]
#
# It leaves nothing behind, and ends with 0 when everything went as the guide (docs/web.md) says.
set -eu
program=$(realpath "${1:-.build/debug/snapfarm}")
folder=$(mktemp -d /tmp/web-hour-XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
began=$(date +%s)

say() { echo; echo "== $* ($(($(date +%s) - began)) s)"; }

# expect STATUS TEXT COMMAND…: the command ends so, and its output holds the text.
expect() {
    wanted=$1 text=$2
    shift 2
    status=0
    "$@" >output.txt 2>&1 || status=$?
    if [ "$status" != "$wanted" ] || ! grep -qF -- "$text" output.txt; then
        cat output.txt
        echo "web-hour: '$*' ended with $status, not $wanted, or did not say '$text'." >&2
        exit 1
    fi
    grep -F -- "$text" output.txt | head -3
}

say "five pages"
git init -q .
git config user.email ann@example.org
git config user.name Ann
mkdir site
for page in home list cart form about; do
    cat >site/$page.html <<HTML
<!doctype html><meta charset=utf-8><meta name=viewport content="width=device-width">
<link rel=stylesheet href=/style.css><title>$page</title>
<h1>$page</h1><button id=menu onclick="panel.hidden = false">menu</button>
<nav id=panel hidden>home · list · cart</nav>
<p>$(date) must not matter; <script>document.write(new Date().getFullYear())</script></p>
<div class=tall></div><footer>the end of $page</footer>
HTML
    sed -i "s/^<p>.* must not matter; /<p>/" site/$page.html
done
cat >site/style.css <<'CSS'
body { font-family: "DejaVu Sans"; margin: 1em }
.tall { height: 1500px; background: linear-gradient(white, silver) }
@media (prefers-color-scheme: dark) { body { background: #222; color: #eee } }
CSS
cat >scenes.yaml <<'YAML'
scenes:
  - {suite: Site, name: home, url: /home.html}
  - {suite: Site, name: list, url: /list.html}
  - {suite: Site, name: cart, url: /cart.html}
  - {suite: Site, name: form, url: /form.html}
  - {suite: Site, name: about, url: /about.html, fullPage: true}
  - {suite: Site, name: menu, url: /home.html, steps: [{click: "#menu"}]}
YAML
cat >snapfarm.yaml <<YAML
version: 1
name: site
references: {store: store.git, pin: snapfarm.refs}
devices:
  - {name: Phone, width: 390, height: 844, scale: 2}
variants: {appearance: [light, dark]}
jobs:
  pages:
    kind: snapshot
    driver: webdriver
    scenes: scenes.yaml
    fonts: [DejaVu Sans]
    serve: {command: "python3 -u -m http.server {port} --directory $folder/site"}
YAML

say "plan"
expect 0 "12 " "$program" plan snapfarm.yaml
say "record"
"$program" refs init store.git --no-merge-driver >/dev/null
expect 0 "on below" "$program" run snapfarm.yaml --mode record
say "verify: green"
expect 0 "12" "$program" run snapfarm.yaml
say "typos: an axis, a value, a key, a selector"
sed 's/appearance:/apearance:/' snapfarm.yaml >typo.yaml
expect 65 "Did you mean appearance?" "$program" plan typo.yaml
sed 's/light, dark/light, drak/' snapfarm.yaml >typo.yaml
expect 65 "Did you mean dark?" "$program" plan typo.yaml
sed -i 's/fullPage/fulPage/' scenes.yaml
expect 65 'Did you mean "fullPage"?' "$program" plan snapfarm.yaml
sed -i 's/fulPage/fullPage/; s/"#menu"/"#menue"/' scenes.yaml
expect 1 "the page has no such element" "$program" run snapfarm.yaml
sed -i 's/"#menue"/"#menu"/' scenes.yaml
say "a server that does not start"
sed 's/http.server/htp.server/' snapfarm.yaml >typo.yaml
expect 1 "No module named" "$program" run typo.yaml
if [ "$(grep -c "the server left with status 1" output.txt)" != 1 ]; then
    cat output.txt
    echo "web-hour: one broken server is not told once." >&2
    exit 1
fi
say "a change"
sed -i 's/the end of about/the end of everything/' site/about.html
expect 1 "2 changes in 2 pictures: 2 changed" "$program" run snapfarm.yaml
say "approve it: green again"
# As the run says it.
accept=$(sed -n 's/^Accept: snapfarm //p' output.txt)
eval "expect 0 snapfarm.refs \"\$program\" $accept"
expect 0 "12 tests as expected" "$program" run snapfarm.yaml
say "nothing is left running"
if pgrep -f "http.server.*--directory $folder/site" >/dev/null; then
    echo "web-hour: a server is left." >&2
    exit 1
fi
say "done"
