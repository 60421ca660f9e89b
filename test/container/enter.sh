#!/bin/sh
# As a container runtime would: <root> <uid> <gid> <folder> <command>… in namespaces that the caller has made. The root
# is read-only and without a shell, there are no privileges to be had, and the environment is the caller's.
set -e
root=$1 uid=$2 gid=$3 folder=$4
shift 4
host=$PATH
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for shell in dash bash; do
  [ ! -e "$root/usr/bin/$shell" ] || mount --bind /dev/null "$root/usr/bin/$shell"
done
mount -o remount,bind,ro "$root"
echo entered
PATH=$host exec /usr/bin/setpriv --no-new-privs /usr/bin/unshare --root="$root" --wd="$folder" --setgid "$gid" --setuid "$uid" -- "$@"
