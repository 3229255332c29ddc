#!/usr/bin/env bash
# Makes the secrets of compose.yaml, once: passwords in ./secrets, and in the volume
# helve_secrets the signing keys, an API key and the password of PostgreSQL for Helve. It
# prints the API key, which is stored nowhere else.
#   ./setup.sh VERSION      the tag of the images that `make images` wrote and `docker load` read
set -euo pipefail
cd "$(dirname "$0")"
version=${1:?name the version of the images: ./setup.sh VERSION}
readonly image=helve/helve:$version volume=helve_secrets

docker image inspect "$image" >/dev/null
if docker volume inspect "$volume" >/dev/null 2>&1; then
	printf 'The volume %s exists already; only .env is written.\n' "$volume"
	printf 'HELVE_VERSION=%s\n' "$version" >.env
	exit
fi
umask 077
mkdir -p secrets
password=$(head -c 24 /dev/urandom | base64 | tr -d '/+=')
printf '%s' "$password" >secrets/postgres-password
head -c 24 /dev/urandom | base64 | tr -d '/+=\n' >secrets/grafana-password
chmod 0444 secrets/grafana-password # Grafana reads it as a user of its own; the directory is closed

docker volume create "$volume" >/dev/null
helve() { docker run --rm --network none --volume "$volume:/var/lib/helve" "$image" "$@"; }
helve keys make --dir /var/lib/helve/keys
helve auth key --name setup --role user,approver,admin,auditor --add /var/lib/helve/keys.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'postgres:5432:helve:helve:%s\n' "$password" >"$work/pgpass"
container=$(docker create --volume "$volume:/var/lib/helve" "$image")
tar -C "$work" --owner=65532 --group=65532 --mode=0400 -cf - pgpass | docker cp - "$container:/var/lib/helve"
docker rm "$container" >/dev/null
printf 'HELVE_VERSION=%s\n' "$version" >.env
