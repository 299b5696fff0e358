#!/usr/bin/env bash
# Makes the .deb and runs the quick start on a bare Debian 12 made for it: scripts/test-package.sh
# Takes minutes, a gigabyte under build/, and root; needs debootstrap.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

((EUID == 0)) || { echo "debootstrap needs root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "debootstrap is not installed" >&2; exit 3; }
build_all
(cd "$build" && rm -f ./*.deb && cpack -G DEB >cpack.log) || { cat "$build/cpack.log"; exit 1; }
package=$(ls "$build"/tessera_*.deb)
dpkg-deb --info "$package" | sed -n '/Package:/,$p'

bare=$top/build/bare
rm -rf "$bare"
mirror=$(apt-get indextargets --format '$(SITE)' | grep -v security | head -1)
debootstrap --variant=minbase bookworm "$bare" "$mirror" >"$build/debootstrap.log"
cp "$package" "$bare/tessera.deb"
for file in apt/apt.conf.d apt/sources.list apt/sources.list.d resolv.conf hosts; do
  [ ! -e "/etc/$file" ] || cp -rL "/etc/$file" "$bare/etc/$(dirname "$file")/"
done
in_bare() { chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
in_bare apt-get -q update >/dev/null
in_bare apt-get -q install -y --no-install-recommends /tessera.deb >"$build/bare-install.log"
in_bare cosim --config /usr/share/tessera/configs/npu.yaml
rm -rf "$bare"
