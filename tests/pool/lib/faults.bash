# shellcheck shell=bash disable=SC2154  # `pool` sets the variables
# Faults that can be switched on and off while jobs run. `on` breaks, `off` mends.

fault_names() { echo web share quota licence site; }

pool_fault() {
    local name=${1:?fault needs a name: $(fault_names)} state=${2:?fault needs on or off}
    case $name-$state in
    # The file server of http://127.0.0.1:8080/, which serves /srv/web.
    web-on) pool_root_run web-server stop ;;
    web-off) pool_root_run web-server start ;;
    # A directory that jobs take their input from.
    share-on) pool_root_run chmod 000 /srv/share ;;
    share-off) pool_root_run sh -c 'mkdir -p /srv/share && chmod 1777 /srv/share' ;;
    # The file system that results go to: 2 MiB, full or free.
    quota-on) pool_root_run sh -c 'head -c 4M /dev/zero >/srv/results/filler 2>/dev/null; test -e /srv/results/filler' ;;
    quota-off) pool_root_run sh -c 'rm -f /srv/results/filler' ;;
    # A licence server, as far as a wrapper script can see it.
    licence-on) pool_root_run rm -f /srv/licence/up ;;
    licence-off) pool_root_run sh -c 'mkdir -p /srv/licence && touch /srv/licence/up' ;;
    # The software of one site.
    site-on) pool_root_run sh -c 'echo Hilltop >/srv/broken-site' ;;
    site-off) pool_root_run rm -f /srv/broken-site ;;
    *) fail "no fault $name $state; faults: $(fault_names), states: on off" ;;
    esac
}
