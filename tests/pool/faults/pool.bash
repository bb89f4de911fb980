# shellcheck shell=bash disable=SC2154  # whoever sources this sets `inside`
# The pool of a play of faults: two sites of two hosts each and eight owners. Whoever sources this
# has a function `pool`, and in `inside` the root of the pool on this machine.

faults_pool=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Sets it up anew, with the programs of the play in /srv/faults.
faults_pool_up() {
    pool down
    pool up
    local user
    for user in carol dave erin frank grace heidi; do
        pool root-run useradd --create-home --shell /bin/bash "$user"
        pool root-run chmod 755 "/home/$user"
    done
    install -m 755 "$faults_pool/inside/site-startd" "$inside/usr/local/sbin/"
    install -m 644 "$faults_pool/99-pool-faults" "$inside/etc/condor/config.d/"
    echo 127.0.0.1 {l1,l2}.lakeside.example {h1,h2}.hilltop.example >>"$inside/etc/hosts"
    mkdir "$inside/srv/faults"
    cp "$faults_pool"/*.py "$inside/srv/faults/"
}

# Takes its configuration up; returns once the four execution points are there. The log begins with
# the play.
faults_pool_restart() {
    pool root-run condor_restart
    for _ in $(seq 60); do
        if [ "$(pool root-run condor_status -af Name 2>/dev/null | grep -c example)" = 4 ]; then
            sleep 5
            return
        fi
        sleep 1
    done
    echo "pool of faults: the four execution points do not come up" >&2
    return 1
}
