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

# Two pools that are built at once must not both ask for apt's locks.
require_debootstrap() {
    command -v apt-get >/dev/null || unable "apt-get is not installed; a pool is built from Debian packages"
    (
        flock 9
        install_debootstrap
    ) 9<"$here/lib/build.bash"
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || unable "apt has no Debian mirror configured"
}

install_debootstrap() {
    if ! command -v debootstrap >/dev/null; then
        say "installing debootstrap"
        { apt-get install -y --no-install-recommends debootstrap ||
            { apt-get update; apt-get install -y --no-install-recommends debootstrap; }; } \
            </dev/null >"$base/debootstrap-install.log" 2>&1 ||
            unable "debootstrap is not installed and apt-get cannot install it (see $base/debootstrap-install.log)"
    fi
    [ -n "$(debian_mirror)" ] || apt-get update >/dev/null 2>&1 || true
}

# With a folder of bases the packages of a release are installed once, and further pools unpack them.
build_root() {
    mkdir -p "$base"
    echo "release $release" >"$marker"
    local bases=${HOLDADVISE_POOL_BASES:-}
    if [ -z "$bases" ]; then
        install_release
    else
        mkdir -p "$bases"
        (
            flock 9
            if [ -e "$bases/$release.tar" ]; then
                say "unpacking $bases/$release.tar in $root"
                mkdir -p "$root"
                tar -C "$root" -xf "$bases/$release.tar"
            else
                install_release
                tar -C "$root" -cf "$bases/$release.part" .
                mv "$bases/$release.part" "$bases/$release.tar"
            fi
        ) 9>"$bases/$release.lock"
    fi
    sed -i '/^init /d' "$marker"
    cp "$here"/config.d/* "$root/etc/condor/config.d/"
    install -m 755 "$here"/inside/* "$root/usr/local/sbin/"
    echo built >>"$marker"
}

# Runs in namespaces of its own, so that whatever debootstrap and apt mount or start ends with it.
install_release() {
    require_debootstrap
    # A proxy that apt is told of is for debootstrap and the apt of the chroot too.
    local proxy=
    eval "$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null)"
    [ -z "$proxy" ] || export http_proxy=$proxy
    say "building $release in $root (log: $base/build.log)"
    unshare --mount --pid --uts --fork --kill-child --mount-proc \
        bash "$here/lib/build-inside" "$release" "$root" "$mirror" \
        </dev/null >"$base/build.log" 2>&1 &
    # Known to `down`, should this process be killed before the build ends.
    echo "init $! $(start_time $!)" >>"$marker"
    wait $! || {
        tail -n 15 "$base/build.log" >&2
        [ "$release" != sid ] || moving "Debian sid cannot be installed at present (see $base/build.log)"
        fail "building the chroot failed"
    }
}
