package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/server/natsauth"
)

func natsAuth(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = cli.Run(t.Context(), append([]string{"nats-auth"}, args...), strings.NewReader(""), &out, &errs, natsAuthCommand())
	return code, out.String(), errs.String()
}

// TestNATSAuthServer: the server takes the configuration, no secret is printed,
// and nobody else can read one.
func TestNATSAuthServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	code, out, errs := natsAuth(t, "server", "--tenants", "acme,beta", "--out", dir, "--pools", "default,gpu", "--max-disk", "3GiB")
	if code != 0 || errs != "" || !strings.Contains(out, dir) {
		t.Fatalf("nats-auth server = %d, %q, %q", code, out, errs)
	}
	opts, err := server.ProcessConfigFile(filepath.Join(dir, "nats-server.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if conf := string(must(os.ReadFile(filepath.Join(dir, "nats-server.conf")))); opts.JetStreamMaxStore != 3<<30 ||
		!strings.Contains(conf, "jetstream: { max_file: 3221225472 }") {
		t.Errorf("the server has %d bytes for streams, want 3 GiB, and so many for the account in %s", opts.JetStreamMaxStore, conf)
	}
	if len(opts.Nkeys) != 15 || opts.StoreDir != filepath.Join(dir, "store") {
		t.Errorf("the configuration has %d users and the store %s, want 15 and one in the directory", len(opts.Nkeys), opts.StoreDir)
	}
	err = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seed := must(os.ReadFile(filepath.Join(dir, "keys", "acme.agent.nk")))
	if code, _, errs := natsAuth(t, "server", "--tenants", "acme,beta,gamma", "--out", dir); code != 0 {
		t.Fatalf("a second time = %q", errs)
	}
	if again := must(os.ReadFile(filepath.Join(dir, "keys", "acme.agent.nk"))); string(again) != string(seed) ||
		strings.Contains(out, string(seed)) {
		t.Error("a second run made another key, or a seed was printed")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestNATSAuthUser(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := natsAuth(t, "--tenant", "acme", "--role", "user", "--user", "ada", "--name", "bot", "--out", dir, "--url",
		"tls://nats:4222")
	for _, want := range []string{
		`"HELVE-acme-ada" {`, `to: "helve.v1.acme.api.>"`, `{ service: "helve.v1.acme.as.ada.api.>"`, "the account HELVE", "nkey: U",
		`"helve.v1.acme.api.consent.decide"`, `"helve.v1.acme.consent.request.ada"`, `"_INBOX_user.bot.>"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("nats-auth = %d, %q, %q, want it to say %q", code, out, errs, want)
		}
	}
	context := string(must(os.ReadFile(filepath.Join(dir, "contexts", "acme.bot.json"))))
	for _, want := range []string{"tls://nats:4222", filepath.Join(dir, "keys", "acme.bot.nk"), "_INBOX_user.bot"} {
		if !strings.Contains(context, want) {
			t.Errorf("the context is %s, want it to have %q", context, want)
		}
	}
	if _, out, _ := natsAuth(t, "--role", "worker", "--pools", "gpu", "--show-seed"); !strings.Contains(out, "once: SU") ||
		!strings.Contains(out, "HELVE_CALLS.gpu") {
		t.Errorf("a worker's with its seed = %q", out)
	}
	_, public, err := natsauth.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, out, _ := natsAuth(t, "--role", "agent", "--public-key", public); !strings.Contains(out, "nkey: "+public) ||
		strings.Contains(out, "seed") {
		t.Errorf("with a key of one's own = %q", out)
	}
}

func TestNATSAuthNSC(t *testing.T) {
	code, out, _ := natsAuth(t, "server", "--tenants", "acme", "--format", "nsc", "--max-disk", "1MiB")
	for _, want := range []string{
		"nsc add account --name HELVE-acme", "--private --subject 'helve.v1.acme.api.>' --service --response-type Singleton",
		"nsc add export --account HELVE-acme --private --subject 'helve.v1.acme.remote.>' --service",
		"nsc add user --account HELVE --name worker --allow-pub '",
		"nsc add user --account HELVE-acme --name auditor", "--js-disk-storage 1048576",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("the commands are %d, %q, want %q", code, out, want)
		}
	}
}

func TestNATSAuthUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"role is":                 {"--show-seed"},
		"--max-disk: want bytes":  {"server", "--max-disk", "3GB", "--out", "x"},
		"the bound of the disk":   {"server", "--max-disk", "-1", "--out", "x"},
		"want one of [dispatcher": {"--role", "root", "--show-seed"},
		"tenant must be":          {"--role", "agent", "--tenant", "a.>", "--show-seed"},
		"user must be":            {"--role", "user", "--user", "*", "--show-seed"},
		"name must be":            {"--role", "agent", "--name", "../x", "--show-seed"},
		"pool must be":            {"--role", "worker", "--pools", ">", "--show-seed"},
		"only the role user":      {"--role", "agent", "--user", "u1", "--show-seed"},
		"only a worker":           {"--role", "agent", "--pools", "p", "--show-seed"},
		"only the role remote":    {"--role", "agent", "--tools", "x", "--show-seed"},
		"the name of a tool":      {"--role", "remote", "--tools", ">", "--show-seed"},
		"serves every tenant":     {"--role", "worker", "--tenant", "acme", "--show-seed"},
		"give one of --out":       {"--role", "agent"},
		"a user's public NKey":    {"--role", "agent", "--public-key", "U } ] }"},
		"prefix":                  {"--role", "agent", "--prefix", "a.*", "--show-seed"},
		"give --out DIR":          {"server", "--tenants", "acme"},
		"is there twice":          {"server", "--tenants", "acme,acme", "--out", "x"},
		"tenant must":             {"server", "--tenants", "a.b", "--format", "nsc"},
	} {
		if code, out, errs := natsAuth(t, args...); code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("nats-auth %q = %d, %q, %q, want 2 and %q", args, code, out, errs, want)
		}
	}
}
