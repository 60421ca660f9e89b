# Installs the Debian packages of commands that are missing: install_missing <command>=<package>…
install_missing() {
  local pair packages=()
  for pair in "$@"; do hash "${pair%%=*}" 2>/dev/null || packages+=("${pair#*=}"); done
  if ((${#packages[@]} == 0)); then return; fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}
