package deploytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/natscontext"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/server/natsauth"
)

func statefulSet(t *testing.T, all rendered, name string) *appsv1.StatefulSet {
	t.Helper()
	for _, s := range of[*appsv1.StatefulSet](all) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no StatefulSet %s", name)
	return nil
}

// natsDir makes the directory /etc/nats of the pods of prod, with new keys and certificates,
// and returns it with the directory of the keys.
func natsDir(t *testing.T, conf string) (dir, keys string) {
	t.Helper()
	dir, keys = t.TempDir(), t.TempDir()
	auth := natsauth.Server{
		Prefix:  "helve.v1",
		Tenants: []string{"default"},
		URL:     "tls://helve-nats:4222",
		Listen:  "0.0.0.0:4222",
		MaxDisk: documentedDisk(t),
	}
	if err := auth.Write(keys); err != nil {
		t.Fatal(err)
	}
	accounts, err := os.ReadFile(filepath.Join(keys, natsauth.ConfFile))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("accounts.conf", accounts)
	cert, key := certificate(t, "helve-nats")
	write("tls.crt", cert)
	write("tls.key", key)
	write("ca.crt", cert)
	write("nats.conf",
		[]byte(strings.ReplaceAll(strings.ReplaceAll(conf, "/etc/nats/", dir+"/"), "store_dir: /data", "store_dir: "+t.TempDir())))
	return dir, keys
}

// documentedDisk returns --max-disk of the command in docs/deploy.md.
func documentedDisk(t *testing.T) int64 {
	t.Helper()
	page, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "--listen 0.0.0.0:4222 --max-disk ")
	size, _, _ := strings.Cut(rest, "\n")
	disk, err := config.ParseBytes(size)
	if err != nil {
		t.Fatalf("docs/deploy.md: --max-disk %q: %v", size, err)
	}
	return int64(disk)
}

// wantBounded checks that the account of a connection has a bound for the disk, which the
// alert HelveJetStreamFull measures by.
func wantBounded(t *testing.T, conn *nats.Conn, disk int64) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	account, err := js.AccountInfo(t.Context())
	if err != nil {
		t.Fatalf("no JetStream: %v", err)
	}
	if account.Limits.MaxStore != disk {
		t.Errorf("the account may hold %d bytes, want the %d of the disks of all servers", account.Limits.MaxStore, disk)
	}
}

// start starts a server with the options of a file, alone and on loopback.
func start(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	opts.Host, opts.Port, opts.HTTPHost, opts.HTTPPort = "127.0.0.1", -1, "127.0.0.1", -1
	opts.Cluster, opts.Routes, opts.NoLog, opts.NoSigs = server.ClusterOpts{}, nil, true, true
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("NATS does not start with the configuration")
	}
	return s
}

// TestNATSConfiguration starts a server with the configuration of each installation and
// sends the probes of its pods.
func TestNATSConfiguration(t *testing.T) {
	each(t, func(t *testing.T, all rendered) {
		prod := t.Name() == "TestNATSConfiguration/prod"
		dir, keys := natsDir(t, all.setting(t, "helve-nats-config", "nats.conf"))
		opts, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
		if err != nil {
			t.Fatal(err)
		}
		if opts.Port != 4222 || opts.HTTPPort != 8222 || !opts.JetStream {
			t.Errorf("NATS listens on %d and %d, JetStream %t; want 4222, 8222, true", opts.Port, opts.HTTPPort, opts.JetStream)
		}
		set := statefulSet(t, all, "helve-nats")
		var routes []string
		for _, r := range opts.Routes {
			routes = append(routes, r.Host)
		}
		if prod {
			for i := range *set.Spec.Replicas {
				if want := fmt.Sprintf("%s-%d.%s:%d", set.Name, i, set.Spec.ServiceName, opts.Cluster.Port); routes[i] != want {
					t.Errorf("route %d is %s, want %s", i, routes[i], want)
				}
			}
		}
		pod := all.part(t, "helve-nats")
		if least := opts.LameDuckGracePeriod + opts.LameDuckDuration; grace(&pod) < least {
			t.Errorf("NATS is killed after %s, lame duck mode takes %s", grace(&pod), least)
		}
		d := all.part(t, "helve-dispatcher")
		cfg := all.load(t, &d, config.Dispatcher)
		stored := int64(cfg.Streams.CallsMaxBytes + cfg.Streams.ResultsMaxBytes + cfg.Streams.OnceMaxBytes + cfg.Audit.MaxBytes)
		claim := set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests.Storage().Value()
		if stored > opts.JetStreamMaxStore || opts.JetStreamMaxStore > claim {
			t.Errorf("streams hold up to %d bytes, JetStream %d, the volume %d", stored, opts.JetStreamMaxStore, claim)
		}
		disk := opts.JetStreamMaxStore * int64(*set.Spec.Replicas)
		opts.JetStreamMaxStore = disk // alone, it has what all have together
		s := start(t, opts)
		c := &pod.Spec.Containers[0]
		for _, p := range []string{c.StartupProbe.HTTPGet.Path, c.LivenessProbe.HTTPGet.Path, c.ReadinessProbe.HTTPGet.Path} {
			res, err := http.Get("http://" + s.MonitorAddr().String() + p)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("probe %s: %v, %v", p, res, err)
				continue
			}
			_ = res.Body.Close()
		}
		if prod {
			for _, role := range []string{"dispatcher", "worker"} {
				connect(t, all, s, role, dir, keys, disk)
			}
			return
		}
		conn, err := nats.Connect(s.ClientURL())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		wantBounded(t, conn, disk)
	})
}

// connect connects as a program with the NATS context of prod.
func connect(t *testing.T, all rendered, s *server.Server, role, dir, keys string, disk int64) {
	t.Helper()
	text := all.setting(t, "helve-nats-contexts", role+".json")
	var made, want struct {
		Inbox string `json:"inbox_prefix"`
	}
	written, err := os.ReadFile(filepath.Join(keys, "contexts", role+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written, &want); err != nil || made != want {
		t.Errorf("context of the %s: inbox prefix %q, helve nats-auth writes %q (%v)", role, made.Inbox, want.Inbox, err)
	}
	text = strings.NewReplacer(
		"/etc/helve-nats/"+role+".nk", filepath.Join(keys, "keys", role+".nk"),
		"/etc/helve-nats/ca.crt", filepath.Join(dir, "ca.crt"),
		"tls://helve-nats:4222", "tls://"+s.Addr().String(),
	).Replace(text)
	if strings.Contains(text, "/etc/helve-nats") {
		t.Errorf("the context of the %s names files that the pod does not have: %s", role, text)
	}
	file := filepath.Join(t.TempDir(), role+".json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	conn, _, err := natscontext.Connect(file)
	if err != nil {
		t.Fatalf("the %s does not connect: %v", role, err)
	}
	defer conn.Close()
	if _, err := conn.TLSConnectionState(); err != nil {
		t.Errorf("the %s is connected without TLS", role)
	}
	if role == "dispatcher" { // a worker may not request it
		wantBounded(t, conn, disk)
	}
	if _, err := nats.Connect("tls://"+s.Addr().String(), nats.RootCAs(filepath.Join(dir, "ca.crt"))); err == nil {
		t.Error("NATS accepts a client without a credential")
	}
}
