# What the scripts share that build what is published. They run in the root of the repository.

# The same commit gives the same bytes.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
package_tools=$PWD/.package-tools

# What is built hereafter names no folder of this machine.
without_folders() {
    local home=${CARGO_HOME:-$HOME/.cargo}
    export RUSTFLAGS="--remap-path-prefix=$PWD=/holdadvise --remap-path-prefix=$home=/cargo"
    export CFLAGS="-ffile-prefix-map=$PWD=/holdadvise -ffile-prefix-map=$home=/cargo"
}

die() { echo "${0##*/}: $*" >&2; exit 1; }
# What is needed to build cannot be had here: callers skip their tests on this status.
unable() { echo "${0##*/}: $*" >&2; exit 77; }
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "scripts/${0##*/}"; exit 0; }

# require PROGRAM PACKAGE: the package is Debian's.
require() {
    command -v "$1" >/dev/null && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        unable "$1 is not installed (Debian: $2)"
    fi
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$2"; } >/dev/null ||
        unable "$2 cannot be installed"
}

# tool NAME VERSION: a program of crates.io, for these scripts alone.
tool() {
    [ -x "$package_tools/bin/$1" ] ||
        env -u RUSTFLAGS -u CFLAGS cargo install --quiet --locked --root "$package_tools" "$1@$2" ||
        unable "$1 $2 cannot be installed"
    PATH=$package_tools/bin:$PATH
}

# python_with PACKAGE==VERSION...: packages of Python, in .wheel-python for these scripts alone.
python_with() {
    export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
    .wheel-python/bin/python -m pip --version >/dev/null 2>&1 ||
        "${PYTHON:-python3}" -m venv --clear .wheel-python >&2 ||
        unable 'python3 cannot make an environment (Debian: python3-venv)'
    .wheel-python/bin/python -m pip install --quiet "$@" || unable "$* cannot be installed"
}

# zig compiles C and links for other C libraries than that of this machine.
zig='ziglang==0.15.2'

version() {
    local id
    id=$(cargo pkgid -p holdadvise)
    echo "${id##*[#@]}"
}
