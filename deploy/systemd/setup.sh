#!/usr/bin/env bash
# Makes what the units need, as root, with the programs in /usr/local/bin: the users helve and
# nats, the units, and /etc/helve with settings, credentials for NATS, signing keys and an API
# key, which it prints and stores nowhere. Run it again after an update: what exists stays.
#   POOLS=default,gpu ./setup.sh     credentials for the workers of several pools
set -euo pipefail
cd "$(dirname "$0")"
readonly etc=/etc/helve
umask 077

install -D -m 0644 helve.sysusers /etc/sysusers.d/helve.conf
systemd-sysusers helve.conf
install -d -m 0755 /etc/systemd/system "$etc"
install -m 0644 ./*.service /etc/systemd/system/
for file in nats.conf helve.yaml; do
	[[ -e $etc/$file ]] || install -m 0644 "$file" "$etc/$file"
done

# The bound is max_file_store of nats.conf.
helve nats-auth server --pools "${POOLS:-default}" --out "$etc/nats" --listen 127.0.0.1:4222 --max-disk 20GiB
ln -sf worker.json "$etc/nats/contexts/worker-default.json" # the name for the unit's instance
[[ -e $etc/keys/token.pem ]] || helve keys make --dir "$etc/keys"
[[ -e $etc/secrets.key ]] || helve config key >"$etc/secrets.key"
[[ -e $etc/keys.yaml ]] || helve auth key --name setup --role user,approver,admin,auditor --add "$etc/keys.yaml"
touch "$etc/secrets.env"

# Root owns everything. The group helve reads what the dispatcher and the workers need, and
# everybody, the user nats included, the configuration of NATS, which has public keys only. The
# NATS credentials of front ends stay root's.
readonly shared=("$etc/nats/keys" "$etc"/nats/keys/{dispatcher,worker*}.nk "$etc/nats/contexts" "$etc"/nats/contexts/{dispatcher,worker*}.json
	"$etc/keys" "$etc"/keys/*.pem "$etc/secrets.key" "$etc/keys.yaml" "$etc/secrets.env")
chgrp helve "${shared[@]}"
chmod u=rwX,g=rX,o= "${shared[@]}"
chmod 0755 "$etc/nats"
chmod 0644 "$etc/nats/nats-server.conf"
systemctl daemon-reload
