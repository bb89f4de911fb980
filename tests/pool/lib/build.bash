# shellcheck shell=bash disable=SC2154  # `pool` sets the variables
# Building the chroot: Debian, HTCondor's package, two ordinary users, the configuration.

# The mirror and its signing, as apt has them configured for the base suite.
debian_mirror() {
    local site suite
    # $(SITE) and friends are apt's fields, not the shell's.
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(SITE) $(ORIGIN) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
        while read -r site origin suite; do
            case $origin/$suite in
            Debian/*-updates | Debian/*-security | Debian/*-backports | Debian/*debug) ;;
            Debian/*) case $site in *security*) ;; *) echo "$site"; break ;; esac ;;
            esac
        done | head -n 1
}

require_debootstrap() {
    command -v apt-get >/dev/null || unable "apt-get is not installed; a pool is built from Debian packages"
    if ! command -v debootstrap >/dev/null; then
        say "installing debootstrap"
        { apt-get install -y --no-install-recommends debootstrap ||
            { apt-get update; apt-get install -y --no-install-recommends debootstrap; }; } \
            </dev/null >"$base/debootstrap-install.log" 2>&1 ||
            unable "debootstrap is not installed and apt-get cannot install it (see $base/debootstrap-install.log)"
    fi
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || { apt-get update >/dev/null 2>&1 || true; mirror=$(debian_mirror); }
    [ -n "$mirror" ] || unable "apt has no Debian mirror configured"
}

# Runs in namespaces of its own, so that whatever debootstrap and apt mount or start ends with it.
build_root() {
    mkdir -p "$base"
    echo "release $release" >"$marker"
    require_debootstrap
    # A proxy that apt is told of is for debootstrap and the apt of the chroot too.
    local proxy=
    eval "$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null)"
    [ -z "$proxy" ] || export http_proxy=$proxy
    say "building $release in $root (log: $base/build.log)"
    unshare --mount --pid --uts --fork --kill-child --mount-proc \
        bash "$here/lib/build-inside" "$release" "$root" "$mirror" "$here" \
        </dev/null >"$base/build.log" 2>&1 &
    # Known to `down`, should this process be killed before the build ends.
    echo "init $! $(start_time $!)" >>"$marker"
    wait $! || {
        tail -n 15 "$base/build.log" >&2
        fail "building the chroot failed"
    }
    sed -i '/^init /d' "$marker"
    echo built >>"$marker"
}
