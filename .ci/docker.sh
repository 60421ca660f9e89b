# The image by a Docker engine. Sourced by .ci/container, which tries it unpacked, as with buildah.
image="agent-task-service:ci-$$"

prepare_engine() { docker pull -q "$base"; }

build_image() { # <context> <options>…
  DOCKER_BUILDKIT=1 docker build --progress plain --tag "$image" "${@:2}" "$1"
}

# Leaves the image and its base as folders, its configuration, and its history.
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

# Digests of the image's layers, the base's first.
list_layers() { docker inspect --type image --format '{{json .RootFS.Layers}}' "$image"; }

remove_image() { docker rmi -f "$image" >/dev/null 2>&1 || true; }
