# Builds the image with buildah if no Docker engine is running. Sourced by .ci/container.
export BUILDAH_ISOLATION=chroot # the only isolation that needs no container runtime
image="localhost/agent-task-service:ci-$$"
containers=()
images_before=

prepare_engine() {
  source .ci/packages.sh
  install_missing buildah=buildah ip=iproute2
  if ! buildah images -q "$base" 2>/dev/null | grep -q . && ! timeout 120 buildah pull -q "$base" 2>/dev/null; then
    echo "cannot reach an image registry; building a stand-in for $base"
    .ci/standin-base "$base"
  fi
  images_before=$(buildah images -aq | sort)
}

build_image() { # <context> <options>…
  # The OCI format has no health checks.
  buildah build --format docker --layers --tag "$image" "${@:2}" "$1"
}

# Writes the image and its base as folders, and the image's configuration and history.
unpack_image() { # <folder>
  containers+=("$(buildah from --pull-never "$image")" "$(buildah from --pull-never "$base")")
  ln -s "$(buildah mount "${containers[-2]}")" "$1/image"
  ln -s "$(buildah mount "${containers[-1]}")" "$1/base"
  buildah inspect --type image "$image" >"$1/history.txt"
  node -e 'console.log(JSON.stringify(JSON.parse(fs.readFileSync(0)).Docker.config))' <"$1/history.txt" >"$1/config.json"
}

# Prints the digests of the image's layers, the base's first.
list_layers() {
  buildah inspect --type image "$image" |
    node -e 'console.log(JSON.stringify(JSON.parse(fs.readFileSync(0)).OCIv1.rootfs.diff_ids))'
}

# Also removes the layers kept for the second build: half a gigabyte in all.
remove_image() {
  [[ -n $images_before ]] || return 0
  buildah rm "${containers[@]}" >/dev/null 2>&1 || true
  comm -13 <(echo "$images_before") <(buildah images -aq | sort) | xargs -r buildah rmi -f >/dev/null 2>&1 || true
}
