# Builds the image with a Docker engine. Sourced by .ci/container, which tests it unpacked, as with buildah.
image="agent-task-service:ci-$$"

prepare_engine() { docker pull -q "$base"; }

build_image() { # <context> <options>…
  DOCKER_BUILDKIT=1 docker build --progress plain --tag "$image" "${@:2}" "$1"
}

# Writes the image and its base as folders, and the image's configuration and history.
unpack_image() { # <folder>
  local name container
  for name in image base; do
    mkdir "$1/$name"
    container=$(docker create "$([[ $name == image ]] && echo "$image" || echo "$base")" true)
    docker export "$container" | tar -x -C "$1/$name"
    docker rm "$container" >/dev/null
  done
  docker inspect --type image --format '{{json .Config}}' "$image" >"$1/config.json"
  { docker inspect --type image "$image"; docker history --no-trunc "$image"; } >"$1/history.txt"
}

# Prints the digests of the image's layers, the base's first.
list_layers() { docker inspect --type image --format '{{json .RootFS.Layers}}' "$image"; }

remove_image() { docker rmi -f "$image" >/dev/null 2>&1 || true; }
