#!/usr/bin/env bash
# Follows the commands of docs/deploy.md in namespaces of its own and sends a call.
#   follow.sh DIR COMMANDS      DIR has programs/, COMMANDS is the text of the page
set -euo pipefail
fail() {
	printf '%s\n' "$*"
	tail -n 20 /run/*.log
	exit 1
}
as() { setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"; }

mount --make-rprivate /
mkdir "$1/etc"
cp -a /etc/. "$1/etc"
rm -rf "$1/etc/helve"
mount --bind "$1/etc" /etc
mount --bind "$1/programs" /usr/local/bin
mount -t tmpfs -o mode=0755 tmpfs /var/lib
mount -t tmpfs -o mode=0755 tmpfs /run
python3 -c 'import socket, fcntl, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh22x", b"lo", 1))' # loopback up

printf '%s' "$2" >"$1/commands"
bash -euo pipefail "$1/commands" >/run/commands.log 2>&1 || fail "the commands of docs/deploy.md fail"
key=$(grep -o 'hk_[A-Za-z0-9_-]*' /run/commands.log | head -n 1) || fail "no API key is printed"

export HELVE_SERVER=http://127.0.0.1:8080
for ((i = 0; ; i++)); do
	answer=$(HELVE_TOKEN=$key helve call calculate expression='6*7' 2>&1) && break
	((i < 150)) || fail "no call succeeds: $answer"
	sleep 0.2
done
[[ $answer == *42* ]] || fail "the call is answered with $answer"
! helve call calculate expression='6*7' >/dev/null 2>&1 || fail "a call without a key is answered"
! HELVE_SERVER=nats://127.0.0.1:4222 helve tools >/dev/null 2>&1 || fail "NATS is open without a credential"
! grep -qE ' 00000000:(1090|1F90|201E) 00000000:0000 0A' /proc/net/tcp || fail "something listens beyond loopback: $(</proc/net/tcp)"
for secret in keys.yaml secrets.key keys/token.pem nats/keys/dispatcher.nk; do
	[[ -e /etc/helve/$secret ]] || fail "/etc/helve/$secret is not made"
	as helve test -r "/etc/helve/$secret" || fail "the user helve cannot read $secret"
	! as nats test -r "/etc/helve/$secret" || fail "the user nats can read $secret"
	! as helve test -w "/etc/helve/$secret" || fail "the user helve can write $secret"
done
! as helve test -r /etc/helve/nats/keys/default.admin.nk || fail "the user helve can read the credential of an admin"
! as helve test -w /etc/helve || fail "the user helve can write /etc/helve"
helve-setup() { bash "$(sed -n 's|^\(deploy/systemd/setup.sh\).*|\1|p' "$1/commands")"; }
helve-setup "$1" >/run/again.log 2>&1 || fail "setup.sh does not run again"
! grep -q hk_ /run/again.log || fail "the second run makes another key"
printf 'followed\n'
