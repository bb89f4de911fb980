# shellcheck shell=bash disable=SC2154  # `pool` sets the variables
# Messages, exit statuses and checks that all parts of `pool` share.

readonly cannot=77 unstable=78

say() { printf 'pool: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
# This machine cannot hold a pool: callers skip their tests on this status.
unable() { say "$*"; exit "$cannot"; }

# Nor is it this machine's fault: Debian's development release does not install on every day.
moving() { say "$*"; exit "$unstable"; }

# A folder without our marker is not ours, whatever is in it.
require_ours() { [ -f "$marker" ] || fail "$base was not made by this program (no ${marker##*/}); left alone"; }

require_machine() {
    [ "$(id -u)" = 0 ] || unable "a pool needs root"
    local program
    for program in unshare nsenter mount chroot realpath setpriv; do
        command -v "$program" >/dev/null || unable "$program (util-linux, coreutils) is not installed"
    done
    # shellcheck disable=SC2086
    unshare $namespaces --fork true 2>/dev/null ||
        unable "the kernel does not let this root make namespaces (a container without CAP_SYS_ADMIN?)"
}

readonly namespaces="--mount --uts --ipc --pid --net"
