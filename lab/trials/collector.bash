# shellcheck shell=bash
# The scenario of the collector, for a pool that runs: `pool` and `inside`, its root, are set by who sources this.

# collector_scenario PROGRAM COPY: COPY is true for a folder on another file system.
collector_scenario() {
    local program=$1 copy=$2 trials
    trials=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
    pool stop
    install -m 644 "$trials/../../plugin/config.d/41-holdadvise-logs" "$trials/99-pool-collector" "$inside/etc/condor/config.d/"
    install -D -m 755 "$program" "$inside/usr/libexec/condor/condor_holdadvise_collect"
    install -m 755 "$trials/collector-play" "$inside/usr/local/sbin/"
    install -m 644 "$trials/trial_pool.py" "$inside/usr/local/sbin/"
    rm -f "$inside"/var/log/condor/EventLog* "$inside"/var/spool/condor/epoch_history*
    pool start
    timeout 400 "$trials/../../tests/pool/pool" root-run collector-play "$copy"
}
