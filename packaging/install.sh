#!/bin/sh
# Installs condor_holdadvise and condor_releaseexpr below a folder of yours.
#
# usage: ./install.sh [FOLDER]             (default: ~/.local)
#        ./install.sh --remove [FOLDER]    takes out what was installed
set -eu
here=$(cd "$(dirname "$0")" && pwd)
remove=false
case ${1:-} in
    --remove) remove=true; shift ;;
    -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "install.sh: unknown option $1 (see --help)" >&2; exit 1 ;;
esac
folder=${1:-${HOME:?}/.local}
(cd "$here" && find bin share -type f) | while IFS= read -r file; do
    if $remove; then
        rm -f "$folder/$file"
    else
        mkdir -p "$folder/$(dirname "$file")"
        # A program that runs is replaced, not written into.
        cp "$here/$file" "$folder/$file.new"
        mv "$folder/$file.new" "$folder/$file"
    fi
done
if $remove; then
    echo "removed from $folder"
    exit
fi
echo "installed in $folder"
case :$PATH: in
    *":$folder/bin:"*) ;;
    *) echo "Add $folder/bin to PATH: export PATH=\"$folder/bin:\$PATH\"" ;;
esac
