# shellcheck shell=bash disable=SC2154  # `pool` sets the variables
# Starting, entering and ending a pool.

# The process that is the pool's init: its id on this machine and its start time, which tells it from a later
# process of the same id.
read_init() {
    init_process=$(sed -n 's/^init \([0-9]*\) .*/\1/p' "$marker" 2>/dev/null | tail -n 1)
    local started
    started=$(sed -n 's/^init [0-9]* \([0-9]*\)$/\1/p' "$marker" 2>/dev/null | tail -n 1)
    [ -n "$init_process" ] && [ "$(start_time "$init_process")" = "$started" ]
}

# Field 22 of /proc/PID/stat, counted after the program name, which may hold blanks.
start_time() {
    local stat
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
    stat=${stat##*) }
    # shellcheck disable=SC2086
    set -- $stat
    echo "${20}"
}

pool_up() {
    require_machine
    if [ -d "$base" ] && [ ! -f "$marker" ] && [ -n "$(ls -A "$base")" ]; then
        fail "$base exists and was not made by this program; left alone"
    fi
    # A chroot that was left half built is built anew.
    if [ -f "$marker" ] && ! grep -q '^built$' "$marker"; then
        if read_init; then fail "another 'pool up' is building in $base"; fi
        pool_down
    fi
    [ -f "$marker" ] || build_root
    pool_start
}

pool_start() {
    require_machine
    require_ours
    if ! read_init; then
        sed -i '/^init /d' "$marker"
        # shellcheck disable=SC2086
        setsid unshare $namespaces --fork bash "$here/lib/start-inside" "$root" "$marker" \
            </dev/null >"$base/init.log" 2>&1 &
        disown
        wait_until 240 read_init || { cat "$base/init.log" >&2; fail "the pool's first process did not start"; }
    fi
    wait_until 600 answers || { tail -n 20 "$base/init.log" >&2; fail "HTCondor does not answer"; }
    for name in $(fault_names); do pool_fault "$name" off; done
    say "pool runs in $base"
}

answers() {
    pool_root_run timeout 60 condor_q -allusers >/dev/null 2>&1 &&
        [ "$(pool_root_run timeout 60 condor_status -af Name 2>/dev/null | grep -c '^slot[12]@')" = 2 ]
}

# wait_until SECONDS COMMAND...
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.5
    done
}

enter() {
    read_init || fail "no pool runs in $base"
    # shellcheck disable=SC2086
    nsenter --target "$init_process" $namespaces --root --wd "$@"
}

pool_root_run() {
    enter env -i HOME=/root USER=root LOGNAME=root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
        "$@"
}

pool_run() {
    local user=${1:?run needs a user}
    shift
    enter env -i HOME="/home/$user" USER="$user" LOGNAME="$user" LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin \
        setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs \
        sh -c 'cd && exec "$@"' sh "$@"
}

pool_install() {
    require_ours
    install -m 755 "${1:?install needs a file}" "$root/usr/local/bin/"
}

# Owned by root and readable by all, whoever owns it on this machine.
pool_install_tree() {
    require_ours
    [ -d "${1:-}" ] || fail "install-tree needs a folder"
    case ${2:-} in
    /?*) ;;
    *) fail "install-tree needs an absolute path in the pool" ;;
    esac
    mkdir -p "$root$2"
    cp -R --no-dereference --preserve=mode,timestamps,links "$1/." "$root$2/"
    chmod -R u=rwX,go=rX "$root$2"
}

pool_status() {
    if [ ! -f "$marker" ]; then say "no pool in $base"; exit 1; fi
    if ! read_init; then say "the pool in $base does not run"; exit 1; fi
    pool_root_run condor_status -af:h Name State Activity GLIDEIN_Site CondorVersion
    pool_root_run condor_q -allusers -totals
}

pool_stop() {
    [ -f "$marker" ] || return 0
    if read_init; then
        # The first process of a process namespace takes all others with it.
        kill -KILL "$init_process" 2>/dev/null || true
        wait_until 240 init_gone || fail "process $init_process does not end"
    fi
    sed -i '/^init /d' "$marker"
}

init_gone() { [ ! -e "/proc/$init_process" ]; }

# Processes of this machine whose root is the chroot: a command that was entered and outlived its caller.
end_leftovers() {
    local process
    for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/root" 2>/dev/null)" = "$root" ]; then
            kill -KILL "${process#/proc/}" 2>/dev/null || true
        fi
    done
}

# Mounts below the folder in this namespace: there are none unless someone made them; deepest first.
unmount_leftovers() {
    local point
    while read -r _ _ _ _ point _; do
        case $point in "$base"/*) echo "$point" ;; esac
    done </proc/self/mountinfo | sort -r | while read -r point; do umount -l "$point"; done
}

pool_down() {
    [ -e "$base" ] || { say "nothing in $base"; return 0; }
    require_ours
    [ "$(id -u)" = 0 ] || unable "taking a pool down needs root"
    pool_stop
    end_leftovers
    unmount_leftovers
    rm -rf --one-file-system "$root"
    rm -rf --one-file-system "$base"
    rmdir "$repository/.pool" 2>/dev/null || true
    say "removed $base"
}
