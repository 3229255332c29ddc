package stack

import (
	"os"
	"path/filepath"
	"strings"
)

// initPostgres does what the entry point of the image of PostgreSQL does for an empty volume.
const initPostgres = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
	chown postgres: "$data"
	chmod 700 "$data"
	password=$(mktemp)
	cat "$POSTGRES_PASSWORD_FILE" >"$password"
	chown postgres: "$password"
	setpriv --reuid postgres --regid postgres --clear-groups initdb --pgdata "$data" --username "$POSTGRES_USER" \
		--pwfile "$password" --auth-host scram-sha-256 --auth-local trust --encoding UTF8 $POSTGRES_INITDB_ARGS
	rm "$password"
	echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
	[ "$POSTGRES_DB" = postgres ] || printf 'CREATE DATABASE "%s";\n' "$POSTGRES_DB" |
		setpriv --reuid postgres --regid postgres --clear-groups postgres --single -D "$data" postgres
fi
install -d -o postgres /var/run/postgresql
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -D "$data" -c "listen_addresses=*"
`

// standIns imports the images of other projects that compose.yaml names. All have the same
// files; what differs is what runs, as which user.
func (e engine) standIns(nats, postgres, prometheus string) {
	e.t.Helper()
	root := filepath.Join(e.dir, "root")
	entry := filepath.Join(root, "usr/local/bin/init-postgres")
	if err := os.WriteFile(entry, []byte(initPostgres), 0o755); err != nil {
		e.t.Fatal(err)
	}
	e.run(e.command("install", filepath.Join(e.dir, "bin", "nats-server"), filepath.Join(root, "usr/local/bin/nats-server")))
	e.run(e.command("install", "-d", "-o", "nobody", filepath.Join(root, "prometheus")))
	for _, link := range []string{"wget", "nslookup"} {
		e.run(e.command("ln", "-sf", "/bin/busybox", filepath.Join(root, "usr/local/bin", link)))
	}
	const path = "ENV PATH=/usr/local/bin:/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	e.run(e.command("sh", "-c",
		"tar -C "+root+" --one-file-system --exclude './proc/*' --exclude './sys/*' -cf - . | docker import --change '"+path+"' - debian-stack"))
	for image, changes := range map[string]string{
		nats:       `ENTRYPOINT ["nats-server"]`,
		postgres:   `ENTRYPOINT ["init-postgres"]`,
		prometheus: "USER nobody\nENTRYPOINT [\"prometheus\"]",
	} {
		build := e.command("docker", "build", "--network", "none", "--tag", image, "-")
		build.Stdin = strings.NewReader("FROM debian-stack\n" + changes + "\n")
		e.run(build)
	}
}
